// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/statistics/rank_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace ddproxy::results {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Arrangements of m and n values with U = 0, 1, ... mn / 2: the product over i of (1 - x^(n + i)) / (1 -
// x^i).
std::vector<long double> arrangements(std::size_t m, std::size_t n) {
  std::vector<long double> count(m * n / 2 + 1, 0.0L);
  count[0] = 1.0L;
  for (std::size_t i = 1; i <= m; ++i) {
    for (std::size_t k = count.size(); k-- > n + i;) count[k] -= count[k - n - i];
    for (std::size_t k = i; k < count.size(); ++k) count[k] += count[k - i];
  }
  return count;
}

long double binomial(std::size_t n, std::size_t k) {
  long double result = 1.0L;
  for (std::size_t i = 1; i <= k; ++i)
    result = result * static_cast<long double>(n - k + i) / static_cast<long double>(i);
  return result;
}

Estimate between(std::vector<double> const& sorted, std::optional<std::size_t> outside) {
  const double low = outside ? sorted[*outside] : -infinity;
  const double high = outside ? sorted[sorted.size() - 1 - *outside] : infinity;
  const std::size_t n = sorted.size();
  return {(sorted[(n - 1) / 2] + sorted[n / 2]) / 2.0, low, high};
}

std::optional<std::size_t> sign_quantile(std::size_t n, double alpha) {
  long double below = 0.0L;
  const long double all = std::pow(2.0L, static_cast<long double>(n));
  std::optional<std::size_t> largest;
  for (std::size_t k = 0; 2 * k < n; ++k) {
    below += binomial(n, k) / all;
    if (below > static_cast<long double>(alpha)) break;
    largest = k;
  }
  return largest;
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) throw std::invalid_argument("the median of no values was asked for");
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2.0;
}

std::optional<std::size_t> rank_sum_quantile(std::size_t m, std::size_t n, double alpha) {
  if (m == 0 || n == 0) return {};
  const long double all = binomial(m + n, std::min(m, n));
  long double below = 0.0L;
  std::optional<std::size_t> largest;
  const auto counts = arrangements(std::min(m, n), std::max(m, n));
  for (std::size_t k = 0; k < counts.size(); ++k) {
    below += counts[k];
    if (below > static_cast<long double>(alpha) * all) break;
    largest = k;
  }
  return largest;
}

Shift::Shift(std::span<const double> from, std::span<const double> to) {
  differences_.reserve(from.size() * to.size());
  for (double a : from)
    for (double b : to) differences_.push_back(b - a);
  std::ranges::sort(differences_);
}

Estimate Shift::interval(std::optional<std::size_t> quantile) const {
  return between(differences_, quantile);
}

Estimate median_interval(std::vector<double> values, double alpha) {
  std::ranges::sort(values);
  return between(values, sign_quantile(values.size(), alpha));
}

}  // namespace ddproxy::results
