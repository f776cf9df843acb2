// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "miniapp/predict/curves.hpp"
#include "miniapp/predict/prediction.hpp"

namespace ddproxy {

/// For people: the table of cases and what follows from it.
std::string describe(PredictInput const& input, Prediction const& prediction);

/// A row for each number of ranks: T, E, tokens per second, scaling and parallel efficiency with the best
/// cap.
std::string ranks_table(std::vector<Prediction> const& predictions);

/// The lines to paste into a PyTorch program, and what each is expected to gain.
std::string pytorch_lines(Prediction const& prediction);

/// How well the prediction, others, and the baselines meet a measured curve.
std::string score_table(CurveScore const& score);

/// case,strategy,bucket_mib,buckets,predicted_s,exposed_s,tail_s,slowdown_s, behind them ranks; a line each.
std::string to_csv(std::vector<Prediction> const& predictions);

/// MiB, four digits.
std::string cap_text(std::int64_t bytes);

}  // namespace ddproxy
