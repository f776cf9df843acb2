// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/history/level_tracker.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <tuple>

#include "results/history/night_noise.hpp"

namespace ddproxy::results {

namespace {

// A series has recovered when this many of the newest nights are fast, that is, below the middle between the
// slow level and the level before. If only k nights were slow, and k is smaller than this number, k fast
// nights suffice.
constexpr std::size_t most_to_recover = 3;

}  // namespace

// Returns the number of newest nights whose mean differs most clearly from `reference`. For the k newest
// nights, the measure is k times the squared difference of their mean from `reference`. The result is the k
// from 1 to `longest` with the largest measure.
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

}  // namespace ddproxy::results
