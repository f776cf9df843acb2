// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <limits>
#include <span>

#include "model/statistics/mean.hpp"

namespace ddproxy::model {

/// Returns the sum of the squared differences between the values and their mean; 0 for no values.
inline double squared_deviations(std::span<const double> values) {
  const double centre = mean(values);
  double sum = 0;
  for (const double value : values) sum += (value - centre) * (value - centre);
  return sum;
}

/// Returns the standard deviation of the distribution of the values, in their unit. It is estimated with
/// n - 1 degrees of freedom, where n is the number of values. Returns NaN for fewer than two values.
inline double standard_deviation(std::span<const double> values) {
  if (values.size() < 2) return std::numeric_limits<double>::quiet_NaN();
  return std::sqrt(squared_deviations(values) / static_cast<double>(values.size() - 1));
}

/// Returns the pooled standard deviation of two samples. It assumes that their distributions have the same
/// standard deviation; the means may differ. It is estimated with m + n - 2 degrees of freedom, where m and n
/// are the numbers of values. Returns NaN for fewer than three values in all.
inline double pooled_deviation(std::span<const double> a, std::span<const double> b) {
  const auto count = a.size() + b.size();
  if (count < 3) return std::numeric_limits<double>::quiet_NaN();
  return std::sqrt((squared_deviations(a) + squared_deviations(b)) / static_cast<double>(count - 2));
}

}  // namespace ddproxy::model
