// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "model/statistics/quantile.hpp"

namespace ddproxy {

using model::median;
using model::quantile;

/// The fewest values with which order statistics give a 95 % interval of the median.
inline constexpr std::size_t fewest_for_an_interval = 6;

/// A value with its 95 % interval.
struct Estimate {
  double value, low, high;
  double noise() const { return (high - low) / 2; }
};

/// The median and the interval between two order statistics that covers it with at least 95 % whatever the
/// distribution (David and Nagaraja, "Order Statistics", section 7.1). Fewer than six values have no such
/// pair: their interval is Student's, mean +- t s / sqrt(n), which assumes that they are normal. That of one
/// value is not known: NaN.
Estimate median_estimate(std::vector<double> values);

}  // namespace ddproxy
