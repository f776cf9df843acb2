// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "model/statistics/estimate.hpp"

namespace ddproxy::model {

/// The largest k with P(U <= k) <= alpha, for the Mann-Whitney statistic U of m and n values of the same
/// distribution; nothing where even P(U = 0) = 1 / C(m + n, n) is larger. Exact: the number of arrangements
/// with U = k is a coefficient of the Gaussian binomial (Mann and Whitney, Ann. Math. Stat. 18(1), 1947).
/// Ties make it conservative.
std::optional<std::size_t> rank_sum_quantile(std::size_t m, std::size_t n, double alpha);

/// By how much `to` lies above `from`: all pairwise differences, sorted.
class Shift {
 public:
  Shift(std::span<const double> from, std::span<const double> to);
  /// Their median and the exact rank-sum interval (Hodges and Lehmann, Ann. Math. Stat. 34(2), 1963); each
  /// end is missed with probability alpha at most where `quantile` is rank_sum_quantile(from.size(),
  /// to.size(), alpha). Without a quantile the ends are infinite.
  Estimate interval(std::optional<std::size_t> quantile) const;

 private:
  std::vector<double> differences_;
};

}  // namespace ddproxy::model
