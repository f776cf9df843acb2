// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace ddproxy::model {

/// Returns the t for which P(T > t) = alpha, where T has Student's t-distribution with `degrees` degrees of
/// freedom. `degrees` must be at least 1, and `alpha` in (0, 1/2]. The relative error is about 1e-10. A call
/// takes about 3 ms, so a caller that needs a value often should keep it.
double student_quantile(double degrees, double alpha);

/// Quantiles of the standard normal distribution: 80, 90 and 95 % of it are below them.
inline constexpr double normal_80 = 0.8416, normal_90 = 1.2816, normal_95 = 1.6449;

}  // namespace ddproxy::model
