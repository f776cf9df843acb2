// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>

#include "results/history/night_levels.hpp"

namespace ddproxy::results {

// When newest nights count as slower than a level: their mean lies above it by more than a critical factor
// times the standard error of the difference, and by more than a floor. The factors are chosen by simulation
// (ctest/results/history_gate_test.cpp).

/// Numbers of newest nights that are tested against the window before them. The long ones find small changes.
inline constexpr std::array<std::size_t, 7> lengths{1, 2, 3, 5, 8, 13, 21};
/// Nights that the last, the best and the pinned level are taken from.
inline constexpr std::size_t level_nights = 10;
/// The fewest nights of a last level, and of a speed-up that starts a new level.
inline constexpr std::size_t fewest_level_nights = 5;
/// The degrees of freedom of the noise without which nothing is tested: those of four nights.
inline constexpr std::size_t fewest_degrees = 3;

/// By which comparison a slowdown was found.
enum class Against { window, best, pinned };

/// Returns the critical factor, in standard errors, of the test of the newest `length` nights.
double critical_factor(Against against, std::size_t length, std::size_t degrees);

/// What the noise of all series has in common.
struct NoiseShape {
  double tail = 0.0;         ///< tail_factor()
  double correlation = 0.0;  ///< of successive nights; 0 or more
  double deviation = 0.0;    ///< the median of the cases' standard deviations; 0 where it is not known
};

/// Returns the deviation to reckon with where that of a case was estimated to be `own`. One below the usual
/// deviation of the cases may be low by chance: its variance counts as half-way between both.
double moderated(double own, NoiseShape const& shape);

/// Returns the standard error of the difference between the mean of `length` new nights and the level of
/// `nights` others. Each night has the deviation given.
double error_of_shift(double new_deviation, std::size_t length, double deviation, std::size_t nights,
                      double correlation);

/// Returns the shift, as a logarithm, below which a slowdown over `length` nights does not matter, where a
/// slowdown of `tolerance`, a share, does: tolerance (1 + 1 / length) for fewer than five nights, else
/// `tolerance`. So two modes of the noise that lie as far apart as the tolerance raise no alarm.
double floor_of_shift(std::size_t length, double tolerance);

/// Returns the share of tail_factor() that the mean of `length` nights has to reach: 1 of one night, 0.4 of
/// two, 0.15 of three and 0.05 of more, for several bad nights in a row are rare.
double tail_share(std::size_t length);

/// Returns how many of `length` slow nights need not lie above half of the slowdown: none of fewer than five,
/// one of five, a third of more. So a single bad night is no slowdown of five nights.
std::size_t exceptions(std::size_t length);

}  // namespace ddproxy::results
