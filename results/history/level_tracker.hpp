// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "results/history/night_levels.hpp"
#include "results/history/night_rule.hpp"

namespace ddproxy::results {

/// Describes a slowdown from which the series has not recovered.
struct Slowdown {
  Against against = Against::window;
  std::size_t since = 0;  ///< index of the first slow night
  Level reference;        ///< the level to which the slow nights are compared
};

/// Holds the ratio of the newest night, or of the mean of several newest nights, to a level.
struct LevelRatio {
  double ratio, low, high;  ///< the ratio and its 95 % interval from the model of the noise; NaN if unknown
};

/// Follows one series of nights and detects when it becomes slower.
///
/// Words (night_rule.hpp): a level is the mean of several nights. The window is the mean of at most 30
/// earlier nights on the same level. The last level is the mean of the newest nights. The best level is the
/// fastest level so far. The user chooses the night of the pinned level.
///
/// Add nights in the order of time. After each night the newest nights are tested against the window, and the
/// last level is tested against the best and the pinned level.
///
/// A slowdown that is found stays open until the series recovers or accept() is called. The nights of an open
/// slowdown belong to no window. The series recovers when enough of the newest nights lie below the middle
/// between the slow level and Slowdown::reference. "Enough" means three nights. If only one or two nights
/// were slow, the same number of fast nights is enough. A speed-up that lasts five nights starts a new level.
class LevelTracker {
 public:
  /// Starts without nights. A slowdown below `tolerance` (relative) does not matter.
  explicit LevelTracker(double tolerance) : tolerance_(tolerance) {}

  /// Adds a night and tests it. If a slowdown is open, only tests whether the series has recovered. `shape`
  /// holds the properties of the noise that all series had in the nights before this one.
  void add(NightValue const& night, NoiseShape const& shape);
  /// Closes the open slowdown and starts a new level with its nights. Forgets the best and the pinned level.
  /// Does nothing if no slowdown is open.
  void accept();
  /// Sets the pinned level to the last level, the mean of at most 10 nights. If a slowdown is open, the
  /// pinned level is the mean of the newest slow nights, at most 5 nights.
  void pin();

  /// Returns the open slowdown, if any.
  std::optional<Slowdown> const& slowdown() const { return slowdown_; }
  /// Returns the index of the night with which the last speed-up began. Returns nothing if there was no
  /// speed-up, if a slowdown was found since then, or if more than 30 nights are on the new level.
  std::optional<std::size_t> faster_since() const;
  /// Returns whether there were enough nights to test the newest one: at least five.
  bool is_tested() const { return is_tested_; }
  NightLevels const& levels() const { return levels_; }
  /// Returns the smallest slowdown (relative) that is found with a probability of 80 % once it has lasted
  /// `nights` nights. Returns NaN if nothing can be tested yet.
  double smallest_seen(std::size_t nights, NoiseShape const& shape) const;
  /// Returns the ratio of the newest night to the window before it. If a slowdown is open, returns the ratio
  /// of its newest nights (the mean of at most five) to Slowdown::reference.
  LevelRatio newest(NoiseShape const& shape) const;
  /// Returns the ratio of the mean of the newest nights (at most five) to the pinned level. Returns NaN if no
  /// level is pinned.
  double over_pinned() const;

 private:
  /// Holds the result of one test of the newest `length` nights against a level.
  struct Test {
    Against against = Against::window;
    std::size_t length = 0;
    double shift = 0.0;  ///< mean logarithm of the newest nights minus that of the level
    /// A change is found only if the shift exceeds it. Infinite, with a shift of 0, if no test is possible or
    /// if the shift is too small to matter.
    double threshold = 0.0;
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
  std::size_t after_pinned_ = 0;  ///< index of the first night after the pinned level
};

}  // namespace ddproxy::results
