// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/history/night_noise.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "model/statistics/quantile.hpp"

namespace ddproxy::results {
namespace {

constexpr double clip = 6.0;

// Computes medians of the values and of their distances from a centre. The class is used for every night of
// every series. So it allocates memory at most once, for a copy of the values that it can reorder. A copy of
// at most 64 values needs no allocation.
class Medians {
 public:
  explicit Medians(std::span<const double> values)
      : values_(values), large_(values.size() > few_.size() ? values.size() : 0) {}
  double middle() {
    return median_of([](double value) { return value; });
  }
  double distance(double centre) {
    return median_of([centre](double value) { return std::abs(value - centre); });
  }

 private:
  template <class Map>
  double median_of(Map map) {
    const std::span<double> copy = large_.empty() ? std::span(few_).first(values_.size()) : std::span(large_);
    std::ranges::transform(values_, copy.begin(), map);
    return model::median_in_place(copy);
  }

  std::span<const double> values_;
  std::array<double, 64> few_{};
  std::vector<double> large_;
};

struct Limits {
  double low;
  double high;
};

void check_filled(std::span<const double> values) {
  if (values.empty()) throw std::invalid_argument("no values: they have no mean and no deviation");
}

Limits limits_of(std::span<const double> values) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (values.size() < 5) return {-infinity, infinity};
  Medians medians(values);
  const double middle = medians.middle();
  const double width = clip * normal_mad * medians.distance(middle);
  if (width == 0.0) return {-infinity, infinity};
  return {middle - width, middle + width};
}

}  // namespace

double variance_of_mean(std::size_t n, double correlation) {
  const double count = static_cast<double>(n);
  double sum = 1.0, power = 2.0;
  for (std::size_t k = 1; k < n; ++k) {
    power *= correlation;
    sum += power * (1.0 - static_cast<double>(k) / count);
  }
  return sum / count;
}

double clipped_mean(std::span<const double> values) {
  const Limits limits = limits_of(values);
  check_filled(values);
  double sum = 0.0;
  for (double value : values) sum += std::clamp(value, limits.low, limits.high);
  return sum / static_cast<double>(values.size());
}

std::vector<double> clipped_residuals(std::span<const double> values) {
  const Limits limits = limits_of(values);
  const double level = clipped_mean(values);
  std::vector<double> residuals;
  for (double value : values) residuals.push_back(std::clamp(value, limits.low, limits.high) - level);
  return residuals;
}

double robust_deviation(std::span<const double> residuals) {
  check_filled(residuals);
  return normal_mad * Medians(residuals).distance(0.0);
}

}  // namespace ddproxy::results
