// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace ddproxy::results {

// The model of the noise of nights: the logarithm of a night's figure is a level plus noise. The noise has
// one standard deviation for a case. The correlation of successive nights and the tail of the distribution
// are the same for all cases.

/// The correlation that is assumed where there are too few nights to estimate it.
inline constexpr double usual_correlation = 0.3;
/// The standard deviation of normal values over their median absolute deviation.
inline constexpr double normal_mad = 1.4826;

/// Returns t with P(T > t) = alpha for Student's T with `degrees` degrees of freedom; degrees >= 1, alpha in
/// (0, 1/2].
double student_quantile(double degrees, double alpha);

/// Returns the variance of the mean of n >= 1 successive nights, in units of one night's variance, where the
/// noise is autoregressive of first order with the given correlation.
double variance_of_mean(std::size_t n, double correlation);

/// Returns the mean of the values; of five or more, values that lie further than 6 robust standard deviations
/// (1.4826 times the median absolute deviation) from the median are moved to that distance first. Throws
/// std::invalid_argument for no values.
double clipped_mean(std::span<const double> values);

/// Returns the distances of the values from clipped_mean(), clipped in the same way.
std::vector<double> clipped_residuals(std::span<const double> values);

/// Returns 1.4826 times the median of the sizes of the residuals: the standard deviation of normal ones.
/// Throws std::invalid_argument for no residuals.
double robust_deviation(std::span<const double> residuals);

/// Returns how many robust deviations one night may lie above its level, with an error of 1e-6, by the
/// Student distribution (3, 4, 6, 10 or 30 degrees of freedom) that fits the residuals best by likelihood.
/// The residuals are in units of the robust deviation of their case. Returns 0 for fewer than 100 residuals,
/// for these show no tail.
double tail_factor(std::span<const double> residuals);

/// Returns the correlation of successive residuals, with Kendall's correction of its bias, (1 + 4 r) / n;
/// NaN for fewer than 10.
double successive_correlation(std::span<const double> residuals);

/// Returns how far two modes of the values lie apart, in the unit of the values: the distance of the means of
/// the two groups that the values fall into with the least variance. Returns 0 where there are not two modes:
/// fewer than 10 values, a group of fewer than 3, or a distance of less than 5 standard deviations within the
/// groups.
double mode_distance(std::span<const double> values);

}  // namespace ddproxy::results
