// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "model/statistics/estimate.hpp"

namespace ddproxy::model {

/// Returns the largest k with P(U <= k) <= alpha, where U is the Mann-Whitney statistic of m and n values
/// from the same distribution. Returns nothing if even P(U = 0) = 1 / C(m + n, n) exceeds alpha, or if m or n
/// is 0. `alpha` must be at most 1/2. The probability is exact: the number of arrangements with U = k is a
/// coefficient of the Gaussian binomial (Mann and Whitney, Ann. Math. Stat. 18(1), 1947). Ties make the
/// result conservative.
std::optional<std::size_t> rank_sum_quantile(std::size_t m, std::size_t n, double alpha);

/// The shift between two samples: all pairwise differences to[j] - from[i], sorted.
class Shift {
 public:
  /// Computes all pairwise differences. Memory: from.size() * to.size() doubles.
  Shift(std::span<const double> from, std::span<const double> to);
  /// Returns the median difference with the exact rank-sum interval (Hodges and Lehmann, Ann. Math. Stat.
  /// 34(2), 1963). With `quantile` = rank_sum_quantile(from.size(), to.size(), alpha), each bound misses the
  /// true shift with probability at most alpha. Without a quantile the bounds are infinite. Both samples must
  /// have at least one value.
  Estimate interval(std::optional<std::size_t> quantile) const;

 private:
  std::vector<double> differences_;
};

}  // namespace ddproxy::model
