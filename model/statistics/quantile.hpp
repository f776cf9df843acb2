// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

namespace ddproxy::model {

/// Returns the q quantile of the values (q from 0 to 1), linearly interpolated between neighbours. Returns
/// NaN for no values.
double quantile(std::vector<double> values, double q);
/// Returns the median and reorders the values; allocates no memory. Returns NaN for no values.
double median_in_place(std::span<double> values);
/// Returns the median; NaN for no values.
inline double median(std::vector<double> values) {
  return median_in_place(values);
}

}  // namespace ddproxy::model
