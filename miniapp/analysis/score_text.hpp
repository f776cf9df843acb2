// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>

#include "model/predict/score.hpp"

namespace ddproxy {

/// Why the errors of `card` are NaN: the case whose E is known worst, and what to do; empty where they are
/// not.
std::string why_no_error(std::span<const model::ScoredCase> cases, model::ScoreCard const& card);

/// Why there is no regret; empty where there is one.
std::string why_no_regret(std::span<const model::ScoredCase> cases);

/// The score of a run's prediction beside its baselines, in one line; two where something has no value.
std::string score_lines(std::span<const model::ScoredCase> cases, model::ScoreCard const& card);

}  // namespace ddproxy
