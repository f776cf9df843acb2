// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/level_tracker.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <tuple>

#include "results/night_noise.hpp"

namespace ddproxy::results {

// The newest `length` nights against a level.
struct LevelTracker::Test {
  Against against = Against::window;
  std::size_t length = 0;
  double shift = 0.0;      ///< logarithm
  double threshold = 0.0;  ///< infinity where no test is possible
  Level reference = {};
};

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Nights of the slow level that must have been slow before the newest ones are believed to have recovered.
constexpr std::size_t most_to_recover = 3;

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
  double variance = 0.0;  // of a night that was noisier than the others, its own
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

// `sign`: 1 for slower, -1 for faster.
bool LevelTracker::is_shifted(Test const& test, double sign) const {
  if (!(sign * test.shift > test.threshold)) return false;
  std::size_t below = 0;
  for (std::size_t k = 0; k < test.length; ++k)
    if (sign * (levels_.newest(k).value - test.reference.mean) < sign * test.shift / 2.0) ++below;
  return below <= exceptions(test.length);
}

// The number of newest nights, `longest` at most, whose mean differs most clearly from the nights before.
std::size_t LevelTracker::length_of_change(std::size_t longest, double reference) const {
  std::size_t best = 1;
  double largest = 0.0, sum = 0.0;
  for (std::size_t k = 1; k <= std::min(longest, levels_.size()); ++k) {
    sum += levels_.newest(k - 1).value - reference;
    const double size = sum * sum / static_cast<double>(k);
    if (size > largest) std::tie(largest, best) = std::pair(size, k);
  }
  return best;
}

bool LevelTracker::found_change(NoiseShape const& shape) {
  is_tested_ = levels_.size() > fewest_degrees + 1;
  for (std::size_t length : lengths) {
    if (length >= levels_.in_segment()) return false;
    const Test t = test(length, shape);
    const std::size_t longest = std::min(2 * length + 1, levels_.in_segment() - 1);
    if (is_shifted(t, 1.0)) {
      start_slowdown(t, length_of_change(longest, t.reference.mean));
      return true;
    }
    if (length >= fewest_level_nights && is_shifted(t, -1.0)) {
      levels_.start_segment(std::max(length, length_of_change(longest, t.reference.mean)));
      faster_since_ = levels_.newest(levels_.in_segment() - 1).night;
      return true;
    }
  }
  return false;
}

bool LevelTracker::found_creep(NoiseShape const& shape) {
  for (auto against : {Against::pinned, Against::best}) {
    auto const& reference = against == Against::best ? best_ : pinned_;
    const std::size_t first = against == Against::best ? after_best_ : after_pinned_;
    if (!reference) continue;
    const Test t = test_last(against, *reference, shape);
    if (!is_shifted(t, 1.0)) continue;
    std::size_t since = 0;
    while (since < levels_.size() && levels_.newest(since).night >= first) ++since;
    start_slowdown(t, std::max(t.length, length_of_change(since, reference->mean)));
    return true;
  }
  return false;
}

void LevelTracker::start_slowdown(Test const& test, std::size_t length) {
  slow_ = levels_.take(length);
  slowdown_ = {test.against, slow_.front().night, test.reference};
  faster_since_.reset();
}

void LevelTracker::follow_slowdown() {
  const auto values = values_of(slow_);
  for (std::size_t newest = std::min(most_to_recover, values.size() - 1); newest > 0; --newest) {
    const std::size_t slow = values.size() - newest;
    if (newest < std::min(most_to_recover, slow)) return;
    const double level = clipped_mean(std::span(values).first(slow));
    const double half = (level + slowdown_->reference.mean) / 2.0;
    const auto last = std::span(values).last(newest);
    if (std::ranges::any_of(last, [half](double value) { return value >= half; })) continue;
    for (std::size_t k = slow; k < slow_.size(); ++k) levels_.add(slow_[k]);
    slow_.clear();
    slowdown_.reset();
    return;
  }
}

void LevelTracker::update_best() {
  if (levels_.in_segment() < 2 * level_nights) return;
  const Level level = levels_.level(level_nights, level_nights);
  if (best_ && best_->mean <= level.mean) return;
  best_.emplace() = level;
  after_best_ = levels_.newest(level_nights - 1).night;
}

void LevelTracker::add(NightValue const& night, NoiseShape const& shape) {
  if (slowdown_) {
    slow_.push_back(night);
    return follow_slowdown();
  }
  levels_.add(night);
  if (found_change(shape)) return;
  update_best();
  static_cast<void>(found_creep(shape));
}

bool LevelTracker::is_far(double value) const {
  return !slowdown_ && levels_.size() > fewest_degrees &&
         value - levels_.level().mean > floor_of_shift(1, tolerance_);
}

void LevelTracker::accept() {
  if (!slowdown_) return;
  levels_.start_segment(slow_);
  slow_.clear();
  slowdown_.reset();
  best_.reset();
  pinned_.reset();
}

Level LevelTracker::last_level() const {
  if (slow_.empty()) return levels_.level(0, fewest_level_nights);
  const auto values = values_of(slow_);
  const std::size_t count = std::min(values.size(), fewest_level_nights);
  return {clipped_mean(std::span(values).last(count)), count};
}

void LevelTracker::pin() {
  pinned_ = slow_.empty() ? levels_.level(0, level_nights) : last_level();
  after_pinned_ = (slow_.empty() ? levels_.newest() : slow_.back()).night + 1;
}

std::optional<std::size_t> LevelTracker::faster_since() const {
  return levels_.in_segment() <= window_nights ? faster_since_ : std::nullopt;
}

double LevelTracker::smallest_seen(std::size_t nights, NoiseShape const& shape) const {
  const Level window = levels_.level();
  Noise noise = levels_.noise();
  noise.deviation = moderated(noise.deviation, shape);
  if (!is_tested_ || window.nights == 0 || noise.degrees < fewest_degrees) return std::nan("");
  const double independent = noise.deviation * std::sqrt(1.0 / static_cast<double>(nights) +
                                                         1.0 / static_cast<double>(window.nights));
  constexpr double power_quantile = 0.8416;  // of the normal distribution, for a power of 80 %
  return std::expm1(threshold(nights, noise.deviation, noise, window, shape) + power_quantile * independent);
}

LevelRatio LevelTracker::newest(NoiseShape const& shape) const {
  const Level last = last_level();
  const Level before = slowdown_ ? slowdown_->reference : levels_.level(last.nights);
  const Noise noise = levels_.noise(slowdown_ ? 0 : last.nights);
  const double none = std::nan("");
  if (before.nights == 0) return {none, none, none};
  const double shift = last.mean - before.mean;
  if (noise.degrees == 0) return {std::exp(shift), none, none};
  const double width =
      student_quantile(static_cast<double>(noise.degrees), 0.025) *
      error_of_shift(noise.deviation, last.nights, noise.deviation, before.nights, shape.correlation);
  return {std::exp(shift), std::exp(shift - width), std::exp(shift + width)};
}

double LevelTracker::over_pinned() const {
  return pinned_ ? std::exp(last_level().mean - pinned_->mean) : std::nan("");
}

}  // namespace ddproxy::results
