// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace ddproxy::results {

/// The most nights that a window has.
inline constexpr std::size_t window_nights = 30;

/// What one night says of a series.
struct NightValue {
  std::size_t night = 0;    ///< its index in the history
  double value = 0.0;       ///< logarithm of the figure
  double error = 0.0;       ///< standard error of `value` from within the night; 0 where it is not known
  std::size_t segment = 0;  ///< counts the levels; set by NightLevels
};

/// A level: the mean of the logarithms of `nights` nights.
struct Level {
  double mean = 0.0;
  std::size_t nights = 0;
};

/// The noise of one series.
struct Noise {
  double deviation = 0.0;         ///< standard deviation of one night around its level
  double step_deviation = 0.0;    ///< the same from the differences of successive nights, which a slow creep
                                  ///< does not enlarge
  double robust_deviation = 0.0;  ///< 1.4826 times the median distance from the level
  std::size_t degrees = 0;        ///< degrees of freedom; 0: the noise is not known
};

/// The nights of a series that count as no slowdown, in the order of time. They fall into segments, one for
/// each level. `without` is the number of newest nights that a function leaves out.
class NightLevels {
 public:
  /// Adds a night to the newest segment.
  void add(NightValue night);
  /// Makes the newest nights a segment of their own.
  void start_segment(std::size_t newest);
  /// Starts a segment with these nights.
  void start_segment(std::vector<NightValue> const& nights);
  /// Removes the newest nights and returns them.
  std::vector<NightValue> take(std::size_t newest);

  std::size_t size() const { return nights_.size(); }
  NightValue const& newest(std::size_t without = 0) const { return nights_[nights_.size() - 1 - without]; }
  /// The number of nights of the newest segment.
  std::size_t in_segment(std::size_t without = 0) const;
  /// The level of the newest nights of the newest segment, at most `most` of them.
  Level level(std::size_t without = 0, std::size_t most = window_nights) const;
  /// The mean of the newest nights, none of them clipped.
  double mean(std::size_t newest) const;
  /// The noise of the newest nights of all segments, at most 30 of them, each around its segment's level.
  Noise noise(std::size_t without = 0) const;
  /// The distances of these nights from their segment's level. `clipped`: as clipped_residuals() does.
  std::vector<double> residuals(std::size_t without, bool clipped) const;
  /// The values of the newest segment's nights, at most 30.
  std::span<const double> window_values() const;

 private:
  std::span<const double> values(std::size_t first, std::size_t end) const;
  std::size_t first_of_noise(std::size_t without) const;

  std::vector<NightValue> nights_;
  std::vector<double> values_;  ///< of the nights
  std::size_t segment_ = 0;
};

/// The values of nights.
std::vector<double> values_of(std::vector<NightValue> const& nights);

}  // namespace ddproxy::results
