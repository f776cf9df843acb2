// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "results/history/level_tracker.hpp"

namespace ddproxy::results {

/// Tests all series of a history: it has one LevelTracker for each series, and computes the properties of the
/// noise that are the same for all series. There is one series for each case. The last series is the mean
/// over the cases.
class NightlyTest {
 public:
  /// Creates the test. A slowdown below `tolerance` (relative) does not matter.
  NightlyTest(std::size_t series, double tolerance) : trackers_(series, LevelTracker(tolerance)) {}

  /// Adds a night with one value for each series. A NaN value is skipped.
  void add(std::span<const NightValue> values);

  std::vector<LevelTracker>& trackers() { return trackers_; }
  std::vector<LevelTracker> const& trackers() const { return trackers_; }
  /// Returns the properties of the noise, as they apply to series number `series`. For the last series,
  /// `deviation` is 0: the median deviation of the cases does not apply to their mean.
  NoiseShape shape(std::size_t series) const {
    return of_series({tail(), correlation(), deviation()}, series);
  }

 private:
  NoiseShape of_series(NoiseShape shape, std::size_t series) const;
  double deviation() const;
  double tail() const;
  double correlation() const;

  std::vector<LevelTracker> trackers_;
};

}  // namespace ddproxy::results
