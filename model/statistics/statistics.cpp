// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/statistics/statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

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

// Student's t at 97.5 %, by the number of values; of two values there is one degree of freedom.
constexpr std::array<double, 6> student{0, 0, 12.706, 4.303, 3.182, 2.776};

Estimate student_estimate(std::vector<double> const& values, double middle) {
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double half = student[values.size()] * std::sqrt(squares / (n - 1) / n);
  return {middle, mean - half, mean + half};
}

}  // namespace

Estimate median_estimate(std::vector<double> values) {
  const double middle = median(values);
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  if (values.size() < 2) return {middle, unknown, unknown};
  if (values.size() < student.size()) return student_estimate(values, middle);
  std::ranges::sort(values);
  const auto k = order_of_bound(values.size());
  return {middle, values[k - 1], values[values.size() - k]};
}

}  // namespace ddproxy
