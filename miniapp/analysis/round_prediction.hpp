// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "miniapp/analysis/analysis.hpp"
#include "miniapp/input/cases.hpp"

namespace ddproxy {

/// Predicts a case once for each sample and returns the medians of T and E. `before` is the job that was
/// predicted before the sweep. Each prediction is that of predict() (miniapp/input/cases.hpp) with two
/// changes to this job. T_compute is taken from the sample, and the ready times are scaled to it. The times
/// of the sample's all-reduces without compute replace a(x). gamma is changed, too, so that compute still
/// adds the same number of seconds to an all-reduce as before the sweep. Returns NaN if a sample lacks the
/// time of an all-reduce.
RoundPrediction predict_rounds(Case const& item, model::Job const& before,
                               std::vector<Sample> const& samples);

}  // namespace ddproxy
