// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "results/history/night_levels.hpp"
#include "results/history/night_rule.hpp"

namespace ddproxy::results {

struct Slowdown {
  Against against = Against::window;
  std::size_t since = 0;  ///< index of the first slow night
  Level reference;        ///< the level that it is slower than
};

/// The newest night or level over another one, as ratios.
struct LevelRatio {
  double ratio, low, high;  ///< with its 95 % interval by the model of the noise; NaN where it is not known
};

/// Follows one series of nights and says when it gets slower.
///
/// Nights are added in the order of time. After each one the newest nights are tested against the window: up
/// to 30 nights before them on the same level. The last level is tested against the best and the pinned one.
/// A slowdown that is found is kept, and its nights enter no window, until the series recovers or accept() is
/// called. It recovers when the newest nights, as many as were slow but three at most, lie below half of the
/// slowdown. A speed-up that lasts five nights starts a new level.
class LevelTracker {
 public:
  /// A slowdown below `tolerance`, a share, does not matter.
  explicit LevelTracker(double tolerance) : tolerance_(tolerance) {}

  /// Adds a night. `shape`: of the noise of all series before it.
  void add(NightValue const& night, NoiseShape const& shape);
  /// Makes the level of the slow nights the one to compare with from now on, and forgets the best and the
  /// pinned level. Does nothing where the series is not slower.
  void accept();
  /// Takes the newest nights on the present level, 10 at most, as the pinned level.
  void pin();

  std::optional<Slowdown> const& slowdown() const { return slowdown_; }
  /// The first night of the present level where that began with a speed-up at most 30 nights ago.
  std::optional<std::size_t> faster_since() const;
  /// Whether the newest night was tested.
  bool is_tested() const { return is_tested_; }
  NightLevels const& levels() const { return levels_; }
  /// Returns the smallest slowdown, a share, that is found with a power of 80 % after it has lasted `nights`
  /// nights; NaN where nothing can be tested yet.
  double smallest_seen(std::size_t nights, NoiseShape const& shape) const;
  /// Returns the newest night over the window before it. Of a slowdown: the mean of its newest nights, five
  /// at most, over the level that it is slower than.
  LevelRatio newest(NoiseShape const& shape) const;
  /// Returns the newest level over the pinned one; NaN where none is pinned.
  double over_pinned() const;

 private:
  /// The newest `length` nights against a level.
  struct Test {
    Against against = Against::window;
    std::size_t length = 0;
    double shift = 0.0;      ///< logarithm
    double threshold = 0.0;  ///< infinity where no test is possible
    Level reference = {};
  };
  double threshold(std::size_t length, double deviation, Noise const& noise, Level const& window,
                   NoiseShape const& shape) const;
  Test test(std::size_t length, NoiseShape const& shape) const;
  Test test_last(Against against, Level const& reference, NoiseShape const& shape) const;
  bool is_shifted(Test const& test, double sign) const;
  Level last_level() const;
  bool found_change(NoiseShape const& shape);
  bool found_creep(NoiseShape const& shape);
  void start_slowdown(Test const& test, std::size_t length);
  void follow_slowdown();
  std::size_t length_of_change(std::size_t longest, double reference) const;
  void update_best();

  double tolerance_;
  bool is_tested_ = false;
  NightLevels levels_;
  std::vector<NightValue> slow_;  ///< nights since the slowdown began
  std::optional<Slowdown> slowdown_;
  std::optional<std::size_t> faster_since_;
  std::optional<Level> best_, pinned_;
  std::size_t after_best_ = 0;    ///< index of the first night after the best level
  std::size_t after_pinned_ = 0;  ///< index of the first night after the pinned one
};

}  // namespace ddproxy::results
