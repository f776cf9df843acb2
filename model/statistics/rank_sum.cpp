// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/statistics/rank_sum.hpp"

#include <algorithm>

#include "model/statistics/median_interval.hpp"

namespace ddproxy::model {
namespace {

// Returns the number of arrangements of m and n values for each U = 0, 1, ... mn / 2. The numbers are the
// coefficients of the product over i = 1 ... m of (1 - x^(n + i)) / (1 - x^i).
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

}  // namespace

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
  return interval_of_sorted(differences_, quantile);
}

}  // namespace ddproxy::model
