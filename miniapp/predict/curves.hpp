// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <vector>

#include "miniapp/predict/prediction.hpp"

namespace ddproxy {

/// The noise that is assumed for the T of a measured curve, as a share of T. The files of curves do not state
/// their noise.
inline constexpr double curve_noise = 0.005;

/// Scores predictors of E against the measured curve T(b) in files[0]. The predictors are `prediction`, the
/// curves in files[1] and later, and baselines. E of a curve is its T minus T_compute of `prediction`.
/// `first_bucket` is the limit of the first bucket, in bytes.
///
/// Throws std::invalid_argument if another curve lacks a cap of the measured curve, or if a cap of the
/// measured curve is not a bucket size. Throws the same exception if no measured T is above T_compute,
/// because the curve then belongs to another job.
CurveScore score_curves(std::vector<std::filesystem::path> const& files, Prediction const& prediction,
                        model::FirstBucket first_bucket);

}  // namespace ddproxy
