// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/night_noise.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

#include "results/rank_statistics.hpp"

namespace ddproxy::results {
namespace {

constexpr double clip = 6.0, normal_mad = 1.4826;
constexpr double one_night_error = 1e-6;
constexpr std::size_t fewest_residuals = 100;
constexpr double needed_likelihood =
    3.0;  // a heavy tail is believed where its log likelihood is larger by this

// The integral of sin^(degrees - 1) from 0 to `end`, by Simpson's rule.
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

// P(T > t), t > 0: with t = sqrt(degrees) / tan(u) the density is proportional to sin(u)^(degrees - 1).
double student_tail(double degrees, double t) {
  const double whole = 2.0 * sine_power_integral(degrees, std::acos(-1.0) / 2.0);
  return sine_power_integral(degrees, std::atan(std::sqrt(degrees) / t)) / whole;
}

// Every night of every series asks for them: the copy is made once and on the stack where it is small.
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
    const auto middle = copy.begin() + static_cast<std::ptrdiff_t>(copy.size() / 2);
    std::ranges::nth_element(copy, middle);
    return copy.size() % 2 == 1 ? *middle : (*middle + *std::max_element(copy.begin(), middle)) / 2.0;
  }

  std::span<const double> values_;
  std::array<double, 64> few_{};
  std::vector<double> large_;
};

struct Limits {
  double low;
  double high;
};

Limits limits_of(std::span<const double> values) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (values.size() < 5) return {-infinity, infinity};
  Medians medians(values);
  const double middle = medians.middle();
  const double width = clip * normal_mad * medians.distance(middle);
  if (width == 0.0) return {-infinity, infinity};
  return {middle - width, middle + width};
}

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

struct Student {
  double degrees;
  double quartile;  ///< P(T > quartile) = 1/4
  double extreme;   ///< P(T > extreme) = one_night_error
};

std::array<Student, 5> const& students() {
  static const auto all = [] {
    std::array<Student, 5> result{{{3, 0, 0}, {4, 0, 0}, {6, 0, 0}, {10, 0, 0}, {30, 0, 0}}};
    for (auto& s : result) {
      s.quartile = student_quantile(s.degrees, 0.25);
      s.extreme = student_quantile(s.degrees, one_night_error);
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

double squares(std::span<const double> values) {
  const double middle = mean(values);
  double sum = 0.0;
  for (double value : values) sum += (value - middle) * (value - middle);
  return sum;
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
  if (values.empty()) static_cast<void>(median({}));
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
  if (residuals.empty()) static_cast<void>(median({}));
  return normal_mad * Medians(residuals).distance(0.0);
}

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
    const double within = squares(all.first(k)) + squares(all.subspan(k));
    if (within < least)
      std::tie(least, distance) = std::pair(within, mean(all.subspan(k)) - mean(all.first(k)));
  }
  const double deviation = std::sqrt(least / static_cast<double>(values.size() - 2));
  return distance < 5.0 * deviation ? 0.0 : distance;
}

}  // namespace ddproxy::results
