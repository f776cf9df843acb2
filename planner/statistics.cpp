// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "planner/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace ddproxy {
namespace {

// The largest k with P(fewer than k of n values lie below the median) <= 2.5 %: x_(k) and x_(n+1-k) bound the
// median.
std::size_t order_of_bound(std::size_t n) {
  const double all = static_cast<double>(n);
  double sum = 0;
  std::size_t k = 0;
  for (; k < n; ++k) {
    // by logarithms: 2^-n is no double from n = 1075 on
    const double below = static_cast<double>(k);
    sum += std::exp(std::lgamma(all + 1) - std::lgamma(below + 1) - std::lgamma(all - below + 1) -
                    all * std::numbers::ln2);
    if (sum > 0.025) break;
  }
  return std::max<std::size_t>(k, 1);
}

}  // namespace

Estimate median_estimate(std::vector<double> values) {
  const double middle = median(values);
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  if (values.size() < 2) return {middle, unknown, unknown};
  std::ranges::sort(values);
  const auto k = order_of_bound(values.size());
  return {middle, values[k - 1], values[values.size() - k]};
}

}  // namespace ddproxy
