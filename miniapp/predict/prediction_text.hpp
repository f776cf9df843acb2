// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "miniapp/predict/curves.hpp"
#include "miniapp/predict/prediction.hpp"

namespace ddproxy {

/// Returns the text of a prediction for people: the table of the cases (docs/glossary.md), then the lower
/// bound on E, the best cap, the best plan and other results.
std::string describe(PredictInput const& input, Prediction const& prediction);

/// Returns a table with one row for each number of ranks: T, E, tokens per second, scaling and parallel
/// efficiency with the best cap.
std::string ranks_table(std::vector<Prediction> const& predictions);

/// Returns the lines to paste into a PyTorch program, with the predicted gain of each line.
std::string pytorch_lines(Prediction const& prediction);

/// Returns a table that compares the prediction, other predictors and the baselines with a measured curve.
std::string score_table(CurveScore const& score);

/// Returns CSV with one row for each case of each prediction:
/// ranks,case,strategy,bucket_mib,buckets,predicted_s,exposed_s,tail_s,slowdown_s.
std::string to_csv(std::vector<Prediction> const& predictions);

/// Returns a size in MiB with four significant digits, without the unit.
std::string cap_text(std::int64_t bytes);

}  // namespace ddproxy
