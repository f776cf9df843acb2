// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>

#include "model/statistics/student.hpp"
#include "results/history/level_tracker.hpp"
#include "results/history/night_noise.hpp"

// The tests of a LevelTracker, and the smallest slowdowns that they can detect.
namespace ddproxy::results {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

double LevelTracker::threshold(std::size_t length, double deviation, Noise const& noise, Level const& window,
                               NoiseShape const& shape) const {
  const double error = error_of_shift(deviation, length, noise.deviation, window.nights, shape.correlation);
  return std::max({critical_factor(Against::window, length, noise.degrees) * error,
                   tail_share(length) * shape.tail * noise.robust_deviation,
                   floor_of_shift(length, tolerance_)});
}

LevelTracker::Test LevelTracker::test(std::size_t length, NoiseShape const& shape) const {
  const Level window = levels_.level(length);
  const double shift = levels_.mean(length) - window.mean, least = floor_of_shift(length, tolerance_);
  if (window.nights == 0 || std::abs(shift) <= least) return {Against::window, length, 0.0, infinity};
  Noise noise = levels_.noise(length);
  noise.deviation = moderated(noise.deviation, shape);
  if (noise.degrees < fewest_degrees) return {Against::window, length, 0.0, infinity};
  double variance = 0.0;  // mean over the new nights of max(noise, standard error within the night)^2
  for (std::size_t k = 0; k < length; ++k)
    variance += std::pow(std::max(noise.deviation, levels_.newest(k).error), 2) / static_cast<double>(length);
  return {Against::window, length, shift, threshold(length, std::sqrt(variance), noise, window, shape),
          window};
}

LevelTracker::Test LevelTracker::test_last(Against against, Level const& reference,
                                           NoiseShape const& shape) const {
  const Level last = levels_.level(0, level_nights);
  const double shift = last.mean - reference.mean, least = floor_of_shift(last.nights, tolerance_);
  if (last.nights < fewest_level_nights || shift <= least) return {against, last.nights, 0.0, infinity};
  const Noise noise = levels_.noise(last.nights);
  if (noise.degrees < fewest_degrees) return {against, last.nights, 0.0, infinity};
  const double deviation = moderated(std::min(noise.deviation, noise.step_deviation), shape);
  const double error = error_of_shift(deviation, last.nights, deviation, reference.nights, shape.correlation);
  const double factor = critical_factor(against, last.nights, noise.degrees);
  return {against, last.nights, shift, std::max(factor * error, least), reference};
}

// Returns whether a test found a shift. `sign` is 1 for a slowdown and -1 for a speed-up.
bool LevelTracker::is_shifted(Test const& test, double sign) const {
  if (!(sign * test.shift > test.threshold)) return false;
  std::size_t below = 0;
  for (std::size_t k = 0; k < test.length; ++k)
    if (sign * (levels_.newest(k).value - test.reference.mean) < sign * test.shift / 2.0) ++below;
  return below <= exceptions(test.length);
}

double LevelTracker::smallest_seen(std::size_t nights, NoiseShape const& shape) const {
  const Level window = levels_.level();
  Noise noise = levels_.noise();
  noise.deviation = moderated(noise.deviation, shape);
  if (!is_tested_ || window.nights == 0 || noise.degrees < fewest_degrees) return std::nan("");
  const double independent = noise.deviation * std::sqrt(1.0 / static_cast<double>(nights) +
                                                         1.0 / static_cast<double>(window.nights));
  return std::expm1(threshold(nights, noise.deviation, noise, window, shape) +
                    model::normal_80 * independent);
}

LevelRatio LevelTracker::newest(NoiseShape const& shape) const {
  const Level last = slowdown_ ? last_level() : Level{levels_.mean(1), 1};
  const Level before = slowdown_ ? slowdown_->reference : levels_.level(last.nights);
  const Noise noise = levels_.noise(slowdown_ ? 0 : last.nights);
  const double none = std::nan("");
  if (before.nights == 0) return {none, none, none};
  const double shift = last.mean - before.mean;
  if (noise.degrees == 0) return {std::exp(shift), none, none};
  const double width =
      model::student_quantile(static_cast<double>(noise.degrees), 0.025) *
      error_of_shift(noise.deviation, last.nights, noise.deviation, before.nights, shape.correlation);
  return {std::exp(shift), std::exp(shift - width), std::exp(shift + width)};
}

double LevelTracker::over_pinned() const {
  return pinned_ ? std::exp(last_level().mean - pinned_->mean) : std::nan("");
}

}  // namespace ddproxy::results
