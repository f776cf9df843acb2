// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "miniapp/input/cases.hpp"
#include "miniapp/predict/analysis/analysis.hpp"

namespace ddproxy {

/// Predicts a case once for each sample and returns the medians of T and E. `before` is the job that was
/// predicted before the sweep. Each prediction is that of predict() (miniapp/input/cases.hpp) for this job
/// with three changes:
/// - T_compute is taken from the sample, and the ready times are scaled to it.
/// - The times of the sample's all-reduces without compute replace a(x).
/// - gamma is changed so that compute adds as many seconds to an all-reduce as in `before`.
/// Returns NaN if there is no sample, or if a sample lacks the time of an all-reduce.
RoundPrediction predict_rounds(Case const& item, model::Job const& before,
                               std::vector<Sample> const& samples);

}  // namespace ddproxy
