// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace ddproxy::results {

/// Of the middle half-way between the two where their number is even. Throws std::invalid_argument for no
/// values.
double median(std::vector<double> values);

/// The largest k with P(U <= k) <= alpha, for the Mann-Whitney statistic U of m and n values of the same
/// distribution; nothing where even P(U = 0) = 1 / C(m + n, n) is larger. Exact: the number of arrangements
/// with U = k is a coefficient of the Gaussian binomial (Mann and Whitney, Ann. Math. Stat. 18(1), 1947).
/// Ties make it conservative.
std::optional<std::size_t> rank_sum_quantile(std::size_t m, std::size_t n, double alpha);

struct Estimate {
  double middle;
  double low;   ///< minus infinity where there are too few values for a bound
  double high;  ///< infinity where there are too few values for a bound
};

/// By how much `to` lies above `from`: all pairwise differences, sorted.
class Shift {
 public:
  Shift(std::span<const double> from, std::span<const double> to);
  /// Their median and the exact rank-sum interval (Hodges and Lehmann, Ann. Math. Stat. 34(2), 1963); each
  /// end is missed with probability alpha at most where `quantile` is rank_sum_quantile(from.size(),
  /// to.size(), alpha).
  Estimate interval(std::optional<std::size_t> quantile) const;

 private:
  std::vector<double> differences_;
};

/// Distribution-free interval of the median from order statistics, each end missed with probability `alpha`
/// at most.
Estimate median_interval(std::vector<double> values, double alpha);

/// z with P(Z > z) = alpha for a standard normal Z, alpha in (0, 1/2].
double normal_quantile(double alpha);

inline constexpr std::size_t most_values = 9999;

/// The fewest values a side with which the rank-sum bound at `alpha` exists: 1 / C(2n, n) <= alpha.
std::size_t fewest_values(double alpha);

/// How many values a side, of the standard deviation `deviation`, it takes to find a shift of `effect` with
/// the given power: rank-sum lower bound at `alpha` above zero, and estimate above `threshold`. Normal
/// approximation with the Hodges-Lehmann estimator's efficiency of 3/pi. most_values where it would be more,
/// or no number does: the threshold not below the effect, or no deviation known (NaN).
std::size_t values_needed(double effect, double threshold, double deviation, double alpha, double power);

/// The deviation of which the rank-sum interval of m and n values, each end missed with `alpha`, is as wide
/// as `e`, by the same approximation; NaN where it has no ends.
double deviation_of(Estimate const& e, std::size_t m, std::size_t n, double alpha);

}  // namespace ddproxy::results
