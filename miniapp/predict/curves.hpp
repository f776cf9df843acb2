// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <vector>

#include "miniapp/predict/prediction.hpp"

namespace ddproxy {

/// The noise of T that is assumed for a curve in a file, as a share of T. Files do not state their noise.
inline constexpr double curve_noise = 0.005;

/// Scores predictors of E against the measured curve T(b) of files[0]. The predictors are the prediction, the
/// curves of files[1] and later, and baselines. E of a curve is its T minus the prediction's T_compute.
///
/// Throws std::invalid_argument if another curve lacks a cap of the measured one. Throws it too if the
/// measured T is not above T_compute at any cap: then the curve is not T of this job.
CurveScore score_curves(std::vector<std::filesystem::path> const& files, Prediction const& prediction,
                        model::FirstBucket first_bucket);

}  // namespace ddproxy
