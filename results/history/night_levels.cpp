// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/history/night_levels.hpp"

#include <algorithm>
#include <cmath>

#include "model/statistics/mean.hpp"
#include "results/history/night_noise.hpp"

namespace ddproxy::results {

std::vector<double> values_of(std::vector<NightValue> const& nights) {
  std::vector<double> values;
  for (auto const& night : nights) values.push_back(night.value);
  return values;
}

void NightLevels::add(NightValue night) {
  night.segment = segment_;
  nights_.push_back(night);
  values_.push_back(night.value);
}

void NightLevels::start_segment(std::size_t count) {
  start_segment(take(count));
}

void NightLevels::start_segment(std::vector<NightValue> const& nights) {
  ++segment_;
  for (auto const& night : nights) add(night);
}

std::vector<NightValue> NightLevels::take(std::size_t count) {
  const auto first = nights_.end() - static_cast<std::ptrdiff_t>(count);
  std::vector<NightValue> taken(first, nights_.end());
  nights_.erase(first, nights_.end());
  values_.resize(nights_.size());
  return taken;
}

std::size_t NightLevels::in_segment(std::size_t without) const {
  std::size_t count = 0;
  while (count < nights_.size() && newest(count).segment == segment_) ++count;
  return count > without ? count - without : 0;
}

std::span<const double> NightLevels::values(std::size_t first, std::size_t end) const {
  return std::span(values_).subspan(first, end - first);
}

Level NightLevels::level(std::size_t without, std::size_t most) const {
  const std::size_t count = std::min(most, in_segment(without));
  if (count == 0) return {};
  const std::size_t end = nights_.size() - without;
  return {clipped_mean(values(end - count, end)), count};
}

double NightLevels::mean(std::size_t count) const {
  return model::mean(values(nights_.size() - count, nights_.size()));
}

std::size_t NightLevels::first_of_noise(std::size_t without) const {
  const std::size_t end = nights_.size() - std::min(without, nights_.size());
  return end - std::min(window_nights, end);
}

std::vector<double> NightLevels::residuals(std::size_t without, bool clipped) const {
  const std::size_t end = nights_.size() - std::min(without, nights_.size());
  std::vector<double> all;
  for (std::size_t first = first_of_noise(without), last = first; first < end; first = last) {
    while (last < end && nights_[last].segment == nights_[first].segment) ++last;
    const auto own = values(first, last);
    const double level = clipped_mean(own);
    if (clipped)
      for (double residual : clipped_residuals(own)) all.push_back(residual);
    else
      for (double value : own) all.push_back(value - level);
  }
  return all;
}

Noise NightLevels::noise(std::size_t without) const {
  const auto all = residuals(without, true);
  const std::size_t first = first_of_noise(without);
  double squares = 0.0, steps = 0.0;
  std::size_t segments = all.empty() ? 0 : 1;
  for (std::size_t k = 0; k < all.size(); ++k) {
    squares += all[k] * all[k];
    if (k == 0) continue;
    const bool is_step = nights_[first + k].segment == nights_[first + k - 1].segment;
    if (is_step)
      steps += (all[k] - all[k - 1]) * (all[k] - all[k - 1]);
    else
      ++segments;
  }
  if (all.size() <= segments) return {};
  const double degrees = static_cast<double>(all.size() - segments);
  return {std::sqrt(squares / degrees), std::sqrt(steps / degrees / (2.0 * (1.0 - usual_correlation))),
          robust_deviation(all), all.size() - segments};
}

std::span<const double> NightLevels::window_values() const {
  return values(nights_.size() - std::min(window_nights, in_segment()), nights_.size());
}

}  // namespace ddproxy::results
