// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <vector>

#include "miniapp/predict/prediction.hpp"

namespace ddproxy {

/// What a curve without its scatter is taken to scatter by, a share of T.
inline constexpr double curve_noise = 0.005;

/// Scores the prediction and the curves files[1...] against T(b) of files[0], whose E is taken over the
/// prediction's T_compute. Throws std::invalid_argument where another curve lacks one of its caps, or where
/// the measured T is below T_compute everywhere: then it is not T of this job.
CurveScore score_curves(std::vector<std::filesystem::path> const& files, Prediction const& prediction,
                        model::FirstBucket first_bucket);

}  // namespace ddproxy
