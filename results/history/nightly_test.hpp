// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "results/history/level_tracker.hpp"

namespace ddproxy::results {

/// The regression test over nights: a LevelTracker for each series, and what their noise has in common. The
/// series are those of the cases and, the last one, that of their mean.
class NightlyTest {
 public:
  /// A slowdown below `tolerance`, a share, does not matter.
  NightlyTest(std::size_t series, double tolerance) : trackers_(series, LevelTracker(tolerance)) {}

  /// Adds a night: for each series its index and value; a value that is NaN is left out.
  void add(std::span<const NightValue> values);

  std::vector<LevelTracker>& trackers() { return trackers_; }
  std::vector<LevelTracker> const& trackers() const { return trackers_; }
  /// Returns what the noise of the series has in common, for the series `series`.
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
