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

/// Simulated nights: for each series, the cases and then their mean, a value a night.
using Nights = std::vector<std::vector<double>>;

inline constexpr std::size_t simulated_cases = 15;

/// The noise of one series, in the order of the nights.
using NoiseOfNights = std::function<std::vector<double>(Engine&, std::size_t nights)>;

/// One kind of noise of standard deviation `deviation`, and how much of its variance all cases share.
struct NoiseKind {
  std::string name;
  NoiseOfNights noise;
  double common = 0.0;
};

NoiseOfNights normal(double deviation);
/// Student's t with three degrees of freedom, scaled to the standard deviation.
NoiseOfNights heavy_tail(double deviation);
/// Autoregressive of first order.
NoiseOfNights correlated(double deviation, double correlation);
/// A share of the nights lies `distance` higher. With probability `switching` a night draws its mode anew,
/// else it keeps that of the night before.
NoiseOfNights two_modes(double deviation, double distance, double share, double switching = 1.0);

/// Simulates the nights of all cases and their mean.
Nights simulate(Engine& engine, NoiseKind const& kind, std::size_t nights);

/// Adds a slowdown, a share, to all cases, or to the first one only, from the night `from` on.
void slow_down(Nights& all, double slowdown, std::size_t from, bool all_cases);

}  // namespace ddproxy::test
