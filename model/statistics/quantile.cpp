// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/statistics/quantile.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ddproxy::model {

double quantile(std::vector<double> values, double q) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::ranges::sort(values);
  const double at = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const auto above = std::min(below + 1, values.size() - 1);
  if (values[below] == values[above]) return values[below];  // also if both are infinite
  return std::lerp(values[below], values[above], at - static_cast<double>(below));
}

double median_in_place(std::span<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return *middle;
  const double below = *std::max_element(values.begin(), middle);
  return below == *middle ? below : std::lerp(below, *middle, 0.5);  // also if both are infinite
}

}  // namespace ddproxy::model
