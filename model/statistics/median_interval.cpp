// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/statistics/median_interval.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "model/statistics/deviation.hpp"
#include "model/statistics/mean.hpp"
#include "model/statistics/quantile.hpp"
#include "model/statistics/student.hpp"

namespace ddproxy::model {
namespace {

// Returns Student's t quantile at 97.5 % for n values, which have n - 1 degrees of freedom. n must be at
// least 2 and below fewest_for_an_interval.
double student(std::size_t n) {
  static const auto quantiles = [] {
    std::array<double, fewest_for_an_interval> values{};
    for (std::size_t k = 2; k < values.size(); ++k)
      values[k] = student_quantile(static_cast<double>(k - 1), 0.025);
    return values;
  }();
  return quantiles[n];
}

Estimate student_estimate(std::vector<double> const& values, double middle) {
  const auto n = static_cast<double>(values.size());
  const double centre = mean(values);
  const double half = student(values.size()) * std::sqrt(squared_deviations(values) / (n - 1) / n);
  return {middle, centre - half, centre + half};
}

}  // namespace

std::optional<std::size_t> sign_quantile(std::size_t n, double alpha) {
  const double all = static_cast<double>(n);
  double sum = 0;
  std::optional<std::size_t> largest;
  for (std::size_t k = 0; 2 * k < n; ++k) {
    // logarithms, because 2^-n underflows a double from n = 1075 on
    const double heads = static_cast<double>(k);
    sum += std::exp(std::lgamma(all + 1) - std::lgamma(heads + 1) - std::lgamma(all - heads + 1) -
                    all * std::numbers::ln2);
    if (sum > alpha) break;
    largest = k;
  }
  return largest;
}

Estimate interval_of_sorted(std::span<const double> sorted, std::optional<std::size_t> k) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double middle = quantile_of_sorted(sorted, 0.5);
  if (!k) return {middle, -infinity, infinity};
  return {middle, sorted[*k], sorted[sorted.size() - 1 - *k]};
}

Estimate median_interval(std::vector<double> values, double alpha) {
  std::ranges::sort(values);
  return interval_of_sorted(values, sign_quantile(values.size(), alpha));
}

Estimate median_estimate(std::vector<double> values) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  if (values.size() >= fewest_for_an_interval) return median_interval(std::move(values), 0.025);
  const double middle = median(values);
  if (values.size() < 2) return {middle, unknown, unknown};
  return student_estimate(values, middle);
}

}  // namespace ddproxy::model
