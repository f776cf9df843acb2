// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>

#include "model/predict/score.hpp"

namespace ddproxy {

/// Returns why the errors of `card` are NaN: names the case whose E is the most uncertain, and says what to
/// do. Returns an empty string if the errors are available.
std::string why_no_error(std::span<const model::ScoredCase> cases, model::ScoreCard const& card);

/// Returns why there is no regret. Returns an empty string if there is one.
std::string why_no_regret(std::span<const model::ScoredCase> cases);

/// Returns one line with the error of a run's prediction and of its baselines. If the errors or the regret
/// are not available, returns a line with the reason for each.
std::string score_lines(std::span<const model::ScoredCase> cases, model::ScoreCard const& card);

}  // namespace ddproxy
