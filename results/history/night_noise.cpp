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

// Returns the integral of sin^(degrees - 1) from 0 to `end`, by Simpson's rule.
double sine_power_integral(double degrees, double end) {
  constexpr int intervals = 400;
  const double step = end / intervals;
  double sum = 0.0;
  for (int k = 0; k <= intervals; ++k) {
    const double weight = k == 0 || k == intervals ? 1.0 : k % 2 == 1 ? 4.0 : 2.0;
    sum += weight * std::pow(std::sin(k * step), degrees - 1.0);
  }
  return sum * step / 3.0;
}

// Returns P(T > t) for t > 0. With t = sqrt(degrees) / tan(u), the density of u is proportional to
// sin(u)^(degrees - 1).
double student_tail(double degrees, double t) {
  const double whole = 2.0 * sine_power_integral(degrees, std::acos(-1.0) / 2.0);
  return sine_power_integral(degrees, std::atan(std::sqrt(degrees) / t)) / whole;
}

// Computes medians of the values and of their distances from a centre. It is called for every night of every
// series, so the copy that is sorted is allocated once, and on the stack if it has at most 64 values.
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

double student_quantile(double degrees, double alpha) {
  double low = 0.0, high = 1e9;
  for (int step = 0; step < 200 && high - low > 1e-10 * high; ++step) {
    const double middle = low > 1.0 ? std::sqrt(low * high) : (low + std::min(high, 2.0 + high / 2.0)) / 2.0;
    (student_tail(degrees, middle) > alpha ? low : high) = middle;
  }
  return low;
}

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
