// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "results/compare/acknowledged.hpp"
#include "results/history/history.hpp"
#include "results/history/nightly_test.hpp"

namespace ddproxy::results {

/// The regression test over the nights of a history. It has one series for each case and one for the mean
/// over all cases.
class HistoryTest {
 public:
  /// Adds all nights in the order of time. Each acknowledgement is applied after the last night that is not
  /// later than its `until`. Throws std::invalid_argument if `pin` is none of the nights.
  HistoryTest(History history, std::vector<Acknowledgement> const& acknowledged,
              std::optional<std::filesystem::path> const& pin, double tolerance);

  History const& history() const { return history_; }
  /// Returns the names of the series, in the order of trackers().
  std::vector<std::string> const& names() const { return names_; }
  std::vector<LevelTracker>& trackers() { return test_.trackers(); }
  std::vector<LevelTracker> const& trackers() const { return test_.trackers(); }
  /// Returns the noise properties for one series.
  NoiseShape shape(std::size_t series) const { return test_.shape(series); }
  bool is_pinned() const { return is_pinned_; }
  /// Returns the number of nights that measured series `s`.
  std::size_t nights(std::size_t s) const;

 private:
  void add(std::size_t night);

  History history_;
  std::vector<std::string> names_;
  NightlyTest test_;
  bool is_pinned_;
};

/// Returns one line for each property of the noise for which the promise of few false alarms was not
/// simulated: a correlation of successive nights above 0.45, and two modes more than 2 % apart.
std::vector<std::string> doubts_of(HistoryTest const& test);

}  // namespace ddproxy::results
