// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "model/statistics/estimate.hpp"

namespace ddproxy::model {

/// The fewest values with which order statistics give a 95 % interval of the median.
inline constexpr std::size_t fewest_for_an_interval = 6;

/// The largest k such that the median of n values lies below the sorted values[k] with probability `alpha` at
/// most, whatever the distribution; nothing where even k = 0 is too much. The probability is that of at most
/// k heads in n throws of a coin (David and Nagaraja, "Order Statistics", section 7.1).
std::optional<std::size_t> sign_quantile(std::size_t n, double alpha);

/// The median and the interval between two order statistics; each end is missed with probability `alpha` at
/// most. An end that too few values leave open is infinite.
Estimate median_interval(std::vector<double> values, double alpha);

/// The median with a 95 % interval: median_interval(values, 0.025) from six values on. Fewer values have no
/// such interval; theirs is Student's, mean +- t s / sqrt(n), which assumes that they are normal. That of one
/// value is not known: NaN.
Estimate median_estimate(std::vector<double> values);

}  // namespace ddproxy::model
