// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>

#include "model/predict/score.hpp"

namespace ddproxy {

/// Returns a text that says why the errors of `card` are NaN. The text names the case whose E is the most
/// uncertain, and says what to do. Returns an empty string if the errors are available.
std::string why_no_error(std::span<const model::ScoredCase> cases, model::ScoreCard const& card);

/// Returns a text that says why the regret is not available. Returns an empty string if it is available.
std::string why_no_regret(std::span<const model::ScoredCase> cases);

/// Returns one line with the mean errors of the predicted E of a run and of three simpler predictions. If the
/// errors are not available, the line says why. If the regret is not available, a second line says why.
std::string score_lines(std::span<const model::ScoredCase> cases, model::ScoreCard const& card);

}  // namespace ddproxy
