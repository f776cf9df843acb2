// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

#include "model/statistics/deviation.hpp"
#include "model/statistics/mean.hpp"
#include "model/statistics/student.hpp"
#include "results/history/night_noise.hpp"

// The shape of the noise: its tail, the correlation of successive nights, and modes.
namespace ddproxy::results {
namespace {

constexpr double one_night_error = 1e-6;
constexpr std::size_t fewest_residuals = 100;
// A tail heavier than that of 30 degrees of freedom is assumed only if it increases the log likelihood by
// more than this.
constexpr double needed_likelihood = 3.0;

struct Student {
  double degrees;
  double quartile;  ///< P(T > quartile) = 1/4
  double extreme;   ///< P(T > extreme) = one_night_error
};

std::array<Student, 5> const& students() {
  static const auto all = [] {
    std::array<Student, 5> result{{{3, 0, 0}, {4, 0, 0}, {6, 0, 0}, {10, 0, 0}, {30, 0, 0}}};
    for (auto& s : result) {
      s.quartile = model::student_quantile(s.degrees, 0.25);
      s.extreme = model::student_quantile(s.degrees, one_night_error);
    }
    return result;
  }();
  return all;
}

double log_likelihood(std::span<const double> residuals, double degrees, double scale) {
  const double constant = std::lgamma((degrees + 1.0) / 2.0) - std::lgamma(degrees / 2.0) -
                          0.5 * std::log(degrees) - std::log(scale);
  double sum = 0.0;
  for (double r : residuals) sum += std::log1p(r * r / (scale * scale * degrees));
  return constant * static_cast<double>(residuals.size()) - 0.5 * (degrees + 1.0) * sum;
}

}  // namespace

double tail_factor(std::span<const double> residuals) {
  if (residuals.size() < fewest_residuals) return 0.0;
  const double middle = robust_deviation(residuals) / normal_mad;
  if (middle == 0.0) return 0.0;
  const auto likelihood = [&](Student const& s) {
    return log_likelihood(residuals, s.degrees, middle / s.quartile);
  };
  auto const& light = students().back();
  Student const* best = &light;
  double largest = likelihood(light) + needed_likelihood;
  for (auto const& student : students())
    if (const double own = likelihood(student); own > largest)
      std::tie(largest, best) = std::pair(own, &student);
  return middle / best->quartile * best->extreme;
}

double successive_correlation(std::span<const double> residuals) {
  if (residuals.size() < 10) return std::nan("");
  double products = 0.0, sum = 0.0;
  for (std::size_t k = 0; k < residuals.size(); ++k) {
    sum += residuals[k] * residuals[k];
    if (k > 0) products += residuals[k] * residuals[k - 1];
  }
  if (sum == 0.0) return 0.0;
  const double r = products / sum;
  return r + (1.0 + 4.0 * r) / static_cast<double>(residuals.size());
}

double mode_distance(std::span<const double> values) {
  constexpr std::size_t fewest = 3;
  if (values.size() < 10) return 0.0;
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const std::span<const double> all(sorted);
  double least = std::numeric_limits<double>::infinity(), distance = 0.0;
  for (std::size_t k = fewest; k + fewest <= all.size(); ++k) {
    const double within = model::squared_deviations(all.first(k)) + model::squared_deviations(all.subspan(k));
    if (within < least)
      std::tie(least, distance) = std::pair(within, model::mean(all.subspan(k)) - model::mean(all.first(k)));
  }
  const double deviation = std::sqrt(least / static_cast<double>(values.size() - 2));
  return distance < 5.0 * deviation ? 0.0 : distance;
}

}  // namespace ddproxy::results
