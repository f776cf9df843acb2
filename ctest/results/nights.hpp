// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace ddproxy::test {

using Engine = std::mt19937_64;

/// Logarithms of the ratios new / base of simulated nights, [series][night]. The series are the cases and,
/// last, their mean.
using Nights = std::vector<std::vector<double>>;

inline constexpr std::size_t simulated_cases = 15;

/// A function that returns the noise of one series, [night]: what is added to the logarithms of the ratios.
using NoiseOfNights = std::function<std::vector<double>(Engine&, std::size_t nights)>;

/// A kind of noise, and the share of its variance that all cases have in common.
struct NoiseKind {
  std::string name;
  NoiseOfNights noise;
  double common = 0.0;
};

/// Returns normally distributed noise. Here and below, `deviation` is the standard deviation, 0.01 for 1 %.
NoiseOfNights normal(double deviation);
/// Returns noise with Student's t distribution of three degrees of freedom, scaled to the standard deviation
/// `deviation`.
NoiseOfNights heavy_tail(double deviation);
/// Returns autoregressive noise of first order. `correlation` is that of successive nights.
NoiseOfNights correlated(double deviation, double correlation);
/// Returns noise with two modes, which are `distance` apart. `deviation` is the standard deviation within a
/// mode. `share` is the probability of the higher mode. A night draws its mode anew with probability
/// `switching`; otherwise it keeps the mode of the previous night.
NoiseOfNights two_modes(double deviation, double distance, double share, double switching = 1.0);

/// Simulates the nights of all cases and their mean.
Nights simulate(Engine& engine, NoiseKind const& kind, std::size_t nights);

/// Makes all cases, or only the first one, slower by the share `slowdown` from the night `from` on. Adapts
/// their mean.
void slow_down(Nights& all, double slowdown, std::size_t from, bool all_cases);

}  // namespace ddproxy::test
