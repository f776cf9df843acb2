// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace ddproxy::model {

/// Returns the t for which P(T > t) = alpha, where T has Student's t-distribution with `degrees` degrees of
/// freedom. `degrees` must be at least 1, and `alpha` in (0, 1/2]. The relative error is about 1e-10. A call
/// takes about 3 ms, so a caller that needs a value often should keep it.
double student_quantile(double degrees, double alpha);

}  // namespace ddproxy::model
