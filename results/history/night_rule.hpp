// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>

#include "results/history/night_levels.hpp"

namespace ddproxy::results {

// The rule that decides whether the newest nights are slower than a level. A level is the mean of several
// nights (night_levels.hpp). There are two kinds of tests:
//
// - The newest nights are tested against the window. The window is the level of at most 30 nights directly
//   before them.
// - The last level is tested against the best and the pinned level. The last level is the mean of at most 10
//   newest nights. The best level is the fastest level so far. The pinned level is the level at a night that
//   the user chose.
//
// A test finds a slowdown if the difference exceeds a critical factor times its standard error, and also
// exceeds a lower limit (floor_of_shift()). In a test against the window it must also exceed a share of what
// noise alone can do to one night (tail_share()). Only a few of the newest nights may be exceptions
// (exceptions()). The factors were chosen by simulation (ctest/results/history_gate_test.cpp).

/// Numbers of newest nights that are tested against the window before them. With more nights a test finds
/// smaller changes.
inline constexpr std::array<std::size_t, 7> lengths{1, 2, 3, 5, 8, 13, 21};
/// Maximum number of nights from which the last, the best and the pinned level are computed.
inline constexpr std::size_t level_nights = 10;
/// Minimum number of nights of the last level. A speed-up starts a new level when it has lasted this many
/// nights.
inline constexpr std::size_t fewest_level_nights = 5;
/// Minimum degrees of freedom of the noise that a test needs. Four nights on one level have three.
inline constexpr std::size_t fewest_degrees = 3;

/// The level with which the newest nights were compared when a slowdown was found.
enum class Against { window, best, pinned };

/// Returns the critical factor, in standard errors, of the test of the newest `length` nights. `degrees` are
/// the degrees of freedom of the noise.
double critical_factor(Against against, std::size_t length, std::size_t degrees);

/// Holds the properties of the noise that are the same for all cases of a history.
struct NoiseShape {
  /// How far one night may lie above its level by noise alone, in robust standard deviations; see
  /// tail_factor() in night_noise.hpp. 0 if unknown.
  double tail = 0.0;
  double correlation = 0.0;  ///< correlation of successive nights; at least 0
  double deviation = 0.0;    ///< median standard deviation of the cases; 0 if unknown
};

/// Returns the standard deviation to use for a case whose own estimate is `own`. If `own` is above the median
/// deviation of the cases (shape.deviation), returns `own`. If it is below, it may be low by chance; returns
/// the square root of the mean of both variances.
double moderated(double own, NoiseShape const& shape);

/// Returns the standard error of the difference between the mean of `length` new nights and a level of
/// `nights` other nights. `new_deviation` is the standard deviation of one new night, and `deviation` that of
/// one of the other nights. `correlation` is that of two successive nights.
double error_of_shift(double new_deviation, std::size_t length, double deviation, std::size_t nights,
                      double correlation);

/// Returns the smallest shift (a logarithm) over `length` nights that matters. As a relative slowdown it is
/// tolerance (1 + 1 / length) for fewer than five nights, and `tolerance` otherwise. With this floor, noise
/// with two modes that are `tolerance` apart raises no alarm.
double floor_of_shift(std::size_t length, double tolerance);

/// Returns the share of NoiseShape::tail by which the mean of `length` nights must exceed the window: 1 for
/// one night, 0.4 for two, 0.15 for three and 0.05 for more. The share falls with `length`, because several
/// bad nights in a row are rare.
double tail_share(std::size_t length);

/// Returns how many of `length` slow nights may be exceptions: nights that are slower than the level by less
/// than half of the slowdown. The number is 0 if `length` is below 5, 1 if it is 5, and length / 3 if it is
/// more. With more exceptions there is no slowdown. So a single very bad night, beside which the other four
/// nights are exceptions, does not count as a slowdown of five nights.
std::size_t exceptions(std::size_t length);

}  // namespace ddproxy::results
