// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

namespace ddproxy::model {

/// Returns the q quantile of the values (q from 0 to 1), linearly interpolated between neighbours. Returns
/// NaN for no values.
double quantile(std::vector<double> values, double q);
/// Returns the same as quantile(). The values must be sorted, rising.
double quantile_of_sorted(std::span<const double> sorted, double q);

/// Says which of the two neighbours of a quantile is meant: the value below it or the value above it.
enum class Neighbour { below, above };
/// Returns the neighbour of the q quantile (q from 0 to 1). The result is one of the values; nothing is
/// interpolated. If the quantile equals a value, this value is both the neighbour below and the neighbour
/// above. Returns NaN for no values.
double quantile(std::vector<double> values, double q, Neighbour neighbour);
/// Returns the p quantile of the empirical distribution (p above 0, at most 1). It is the smallest value v
/// for which at least a share p of all values is at most v. Nothing is interpolated. Returns NaN for no
/// values.
double empirical_quantile(std::vector<double> values, double p);

/// Returns the median and reorders the values; allocates no memory. Returns NaN for no values.
double median_in_place(std::span<double> values);
/// Returns the median; NaN for no values.
inline double median(std::vector<double> values) {
  return median_in_place(values);
}

}  // namespace ddproxy::model
