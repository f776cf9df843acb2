// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>

#include "results/history/night_levels.hpp"

namespace ddproxy::results {

// The rule by which the newest nights count as slower than a level. Their mean must lie above the level by
// more than a critical factor times the standard error of the difference, and by more than a floor. The
// factors were chosen by simulation (ctest/results/history_gate_test.cpp).

/// Numbers of newest nights that are tested against the window before them. Long ones find small changes.
inline constexpr std::array<std::size_t, 7> lengths{1, 2, 3, 5, 8, 13, 21};
/// Number of nights from which the last, the best and the pinned level are computed.
inline constexpr std::size_t level_nights = 10;
/// Minimum number of nights of a last level, and of a speed-up that starts a new level.
inline constexpr std::size_t fewest_level_nights = 5;
/// Minimum degrees of freedom of the noise for a test; four nights have three.
inline constexpr std::size_t fewest_degrees = 3;

/// The reference of the comparison that found a slowdown.
enum class Against { window, best, pinned };

/// Returns the critical factor, in standard errors, of the test of the newest `length` nights.
double critical_factor(Against against, std::size_t length, std::size_t degrees);

/// Properties of the noise that all series share.
struct NoiseShape {
  double tail = 0.0;         ///< tail_factor()
  double correlation = 0.0;  ///< correlation of successive nights; at least 0
  double deviation = 0.0;    ///< median standard deviation of the cases; 0 if unknown
};

/// Returns the standard deviation to use for a case whose own estimate is `own`. An estimate below the usual
/// deviation of the cases may be low by chance; the result is then the root of the mean of both variances. An
/// estimate above it is returned unchanged.
double moderated(double own, NoiseShape const& shape);

/// Returns the standard error of the difference between the mean of `length` new nights and a level of
/// `nights` other nights. `new_deviation` and `deviation` are the standard deviations of one night.
double error_of_shift(double new_deviation, std::size_t length, double deviation, std::size_t nights,
                      double correlation);

/// Returns the smallest shift (a logarithm) over `length` nights that matters. As a relative slowdown it is
/// tolerance (1 + 1 / length) for fewer than five nights, and `tolerance` otherwise. With this floor, noise
/// with two modes that are `tolerance` apart raises no alarm.
double floor_of_shift(std::size_t length, double tolerance);

/// Returns the share of tail_factor() that the mean of `length` nights must reach: 1 for one night, 0.4 for
/// two, 0.15 for three and 0.05 for more. The share falls because several bad nights in a row are rare.
double tail_share(std::size_t length);

/// Returns how many of `length` slow nights may lie below half of the slowdown: none of fewer than five, one
/// of five, and a third of more. The others must lie above it, so a single bad night does not count as a
/// slowdown of five nights.
std::size_t exceptions(std::size_t length);

}  // namespace ddproxy::results
