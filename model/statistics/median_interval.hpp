// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "model/statistics/estimate.hpp"

namespace ddproxy::model {

/// Smallest number of values for which order statistics give a 95 % interval of the median.
inline constexpr std::size_t fewest_for_an_interval = 6;

/// Returns the largest k for which the true median lies below values[k] with probability at most `alpha`.
/// Here `values` are n sorted values from one distribution, which may be any distribution. Returns nothing if
/// this probability exceeds `alpha` even for k = 0. `alpha` must be at most 1/2. The probability equals
/// P(at most k heads in n tosses of a fair coin) (David and Nagaraja, "Order Statistics", section 7.1).
std::optional<std::size_t> sign_quantile(std::size_t n, double alpha);

/// Returns the median with the interval from sorted[k] to sorted[n - 1 - k], where n is the number of values
/// and k must be less than n / 2. Without k both bounds are infinite. The values must be sorted, rising. The
/// median of no values is NaN.
Estimate interval_of_sorted(std::span<const double> sorted, std::optional<std::size_t> k);

/// Returns the median with the interval between two order statistics. Each bound misses the true median with
/// probability at most `alpha`. Both bounds are infinite if there are too few values.
Estimate median_interval(std::vector<double> values, double alpha);

/// Returns the median with a 95 % interval. From six values on it is median_interval(values, 0.025). For two
/// to five values it is Student's interval, mean +- t s / sqrt(n), where s is the standard deviation; this
/// assumes that the values are normally distributed. For one value the bounds are NaN. For no value all
/// members are NaN.
Estimate median_estimate(std::vector<double> values);

}  // namespace ddproxy::model
