// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "miniapp/analysis/analysis.hpp"
#include "miniapp/input/cases.hpp"

namespace ddproxy {

/// Predicts a case once for each sample: as predict(), but with the sample's own T_compute, to which the
/// ready times of `before` are scaled, and with the times of its all-reduces alone in place of a(x). Returns
/// the medians; NaN where a sample has no all-reduces alone.
RoundPrediction predict_rounds(Case const& item, model::Job const& before,
                               std::vector<Sample> const& samples);

}  // namespace ddproxy
