// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/statistics/quantile.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ddproxy::model {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

// Returns the place of the q quantile among n sorted values, from 0 to n - 1. Between two values it is not an
// integer.
double place(double q, std::size_t n) {
  return q * static_cast<double>(n - 1);
}

double neighbour_of(double at, std::span<const double> sorted, Neighbour neighbour) {
  return sorted[static_cast<std::size_t>(neighbour == Neighbour::below ? std::floor(at) : std::ceil(at))];
}

}  // namespace

double quantile(std::vector<double> values, double q) {
  std::ranges::sort(values);
  return quantile_of_sorted(values, q);
}

double quantile_of_sorted(std::span<const double> sorted, double q) {
  if (sorted.empty()) return unknown;
  const double at = place(q, sorted.size());
  const double below = neighbour_of(at, sorted, Neighbour::below);
  const double above = neighbour_of(at, sorted, Neighbour::above);
  if (below == above) return below;  // std::lerp() could return NaN if both are infinite
  return std::lerp(below, above, at - std::floor(at));
}

double quantile(std::vector<double> values, double q, Neighbour neighbour) {
  if (values.empty()) return unknown;
  std::ranges::sort(values);
  return neighbour_of(place(q, values.size()), values, neighbour);
}

double empirical_quantile(std::vector<double> values, double p) {
  if (values.empty()) return unknown;
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(std::ceil(p * static_cast<double>(values.size()))) - 1];
}

double median_in_place(std::span<double> values) {
  if (values.empty()) return unknown;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return *middle;
  const double below = *std::max_element(values.begin(), middle);
  // std::lerp() could return NaN if both are infinite
  return below == *middle ? below : std::lerp(below, *middle, 0.5);
}

}  // namespace ddproxy::model
