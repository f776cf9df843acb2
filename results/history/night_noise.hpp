// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace ddproxy::results {

// The model of the noise of nights: the logarithm of a night's ratio or time is a level plus noise. Each case
// has its own standard deviation of the noise. The correlation of successive nights and the tail of the
// distribution are the same for all cases.

/// The correlation of successive nights that is assumed if there are too few nights to estimate it.
/// Noise::step_deviation (night_levels.hpp) always assumes it.
inline constexpr double usual_correlation = 0.3;
/// The ratio of the standard deviation to the median absolute deviation, for normally distributed values.
inline constexpr double normal_mad = 1.4826;

/// Returns the variance of the mean of n >= 1 successive nights, divided by the variance of one night. The
/// noise is autoregressive of first order; `correlation` is that of two successive nights.
double variance_of_mean(std::size_t n, double correlation);

/// Returns the mean of the values after outliers were clipped. A value is an outlier if it is further from
/// the median than 6 robust standard deviations (1.4826 times the median absolute deviation); it is moved to
/// this distance. Fewer than five values, and values whose median absolute deviation is 0, are not clipped.
/// Throws std::invalid_argument if there are no values.
double clipped_mean(std::span<const double> values);

/// Clips the values as clipped_mean() does. Returns their differences from clipped_mean().
std::vector<double> clipped_residuals(std::span<const double> values);

/// Returns 1.4826 times the median of the absolute residuals. If the residuals are normally distributed, this
/// is their standard deviation. Throws std::invalid_argument if there are no residuals.
double robust_deviation(std::span<const double> residuals);

/// Returns how far a single night may lie above its level by noise alone, in robust standard deviations.
/// Noise exceeds this limit with a probability of 1e-6. The residuals are those of all series, in units of
/// the robust standard deviation of their series.
///
/// The limit comes from a Student distribution with 3, 4, 6, 10 or 30 degrees of freedom. The function
/// chooses the distribution with the largest likelihood. It keeps 30 degrees unless another number increases
/// the log likelihood by more than 3. Returns 0 for fewer than 100 residuals, because so few do not show the
/// tail, and if half of the residuals or more are 0.
double tail_factor(std::span<const double> residuals);

/// Returns the correlation r of successive residuals, plus Kendall's correction of its bias, (1 + 4 r) / n,
/// where n is the number of residuals. Returns NaN for fewer than 10 residuals.
double successive_correlation(std::span<const double> residuals);

/// Returns the distance between two modes of the values, in the unit of the values. The values are sorted and
/// divided into two groups of at least three values, so that the variance within the groups is smallest. The
/// distance is that between the means of the groups. Returns 0 if there are fewer than 10 values, or if the
/// distance is below 5 standard deviations within the groups: the values then do not have two modes.
double mode_distance(std::span<const double> values);

}  // namespace ddproxy::results
