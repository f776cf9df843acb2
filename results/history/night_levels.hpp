// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace ddproxy::results {

/// Maximum number of nights in a window (night_rule.hpp explains windows and levels).
inline constexpr std::size_t window_nights = 30;

/// Holds the value of one night in a series.
struct NightValue {
  std::size_t night = 0;    ///< index of the night in the history
  double value = 0.0;       ///< NightCase::log_ratio (results/compare/night.hpp): a natural logarithm
  double error = 0.0;       ///< standard error of `value` within the night; 0 if unknown
  std::size_t segment = 0;  ///< number of the segment of the night; set by NightLevels
};

/// Holds a level: the mean of the logarithms over `nights` nights.
struct Level {
  double mean = 0.0;
  std::size_t nights = 0;
};

/// Describes the noise of one series. The deviations are those of the natural logarithms.
struct Noise {
  double deviation = 0.0;         ///< standard deviation of one night around its level
  double step_deviation = 0.0;    ///< estimate of `deviation` from the differences of successive nights; a
                                  ///< slow drift does not increase it
  double robust_deviation = 0.0;  ///< 1.4826 times the median distance from the level
  std::size_t degrees = 0;        ///< degrees of freedom; 0: the noise is unknown
};

/// Holds the nights of a series (a case, or the mean over the cases), in the order of time. LevelTracker
/// leaves out the nights of a slowdown that was found and neither ended nor accepted so far. The nights form
/// segments. All nights of a segment are on the same level; a new level starts a new segment. In all
/// functions, `without` is the number of newest nights that the function leaves out.
class NightLevels {
 public:
  /// Adds a night to the newest segment.
  void add(NightValue night);
  /// Moves the newest `count` nights to a new segment.
  void start_segment(std::size_t count);
  /// Starts a new segment with these nights, which are not yet in this object.
  void start_segment(std::vector<NightValue> const& nights);
  /// Removes the newest `count` nights and returns them.
  std::vector<NightValue> take(std::size_t count);

  std::size_t size() const { return nights_.size(); }
  /// Returns the newest night after leaving out `without` nights.
  NightValue const& newest(std::size_t without = 0) const { return nights_[nights_.size() - 1 - without]; }
  /// Returns the number of nights in the newest segment.
  std::size_t in_segment(std::size_t without = 0) const;
  /// Returns the level of the newest segment: the clipped mean (night_noise.hpp) of its newest nights, at
  /// most `most` of them. Returns a level of 0 nights if no night of the segment is left.
  Level level(std::size_t without = 0, std::size_t most = window_nights) const;
  /// Returns the plain mean of the newest `count` nights; outliers are not clipped.
  double mean(std::size_t count) const;
  /// Returns the noise of the newest nights, at most 30 of them. They may belong to several segments. The
  /// noise of a night is its difference from the level of its segment.
  Noise noise(std::size_t without = 0) const;
  /// Returns the residuals of the nights that noise() uses: their differences from the level of their
  /// segment. If `clipped` is true, outliers are clipped as in clipped_residuals() (night_noise.hpp).
  std::vector<double> residuals(std::size_t without, bool clipped) const;
  /// Returns the values of the newest nights of the newest segment, at most 30. The span is valid until a
  /// night is added or removed.
  std::span<const double> window_values() const;

 private:
  std::span<const double> values(std::size_t first, std::size_t end) const;
  std::size_t first_of_noise(std::size_t without) const;

  std::vector<NightValue> nights_;
  std::vector<double> values_;  ///< value of each night
  std::size_t segment_ = 0;
};

/// Returns the values of the nights.
std::vector<double> values_of(std::vector<NightValue> const& nights);

}  // namespace ddproxy::results
