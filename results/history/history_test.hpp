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

/// Tests whether the newest nights of a history are slower than earlier nights. There is one series of values
/// for each case, and one for the mean over the cases. A series has one value for each night.
class HistoryTest {
 public:
  /// Adds all nights in the order of time, and tests each of them. A slowdown below `tolerance` (relative)
  /// does not matter. An acknowledgement accepts the slowdown that is open after the last night whose time
  /// (Night::created) is not later than Acknowledgement::until. `pin` names the file of the night that sets
  /// the pinned level. Throws std::invalid_argument if `pin` is none of the nights.
  HistoryTest(History history, std::vector<Acknowledgement> const& acknowledged,
              std::optional<std::filesystem::path> const& pin, double tolerance);

  History const& history() const { return history_; }
  /// Returns the names of the series, in the order of trackers().
  std::vector<std::string> const& names() const { return names_; }
  std::vector<LevelTracker>& trackers() { return test_.trackers(); }
  std::vector<LevelTracker> const& trackers() const { return test_.trackers(); }
  /// Returns the properties of the noise, as they apply to series number `series`.
  NoiseShape shape(std::size_t series) const { return test_.shape(series); }
  bool is_pinned() const { return is_pinned_; }  ///< returns true if `pin` was given
  /// Returns the number of nights that measured series `s`.
  std::size_t nights(std::size_t s) const;

 private:
  void add(std::size_t night);

  History history_;
  std::vector<std::string> names_;
  NightlyTest test_;
  bool is_pinned_;
};

/// Returns warnings, one line each, about noise for which the rate of false alarms may be higher than
/// docs/results.md states. There are two reasons: successive nights have a correlation above 0.45, or the
/// newest nights of a series that are on one level (at most 30) fall into two modes more than 2 % apart.
std::vector<std::string> doubts_of(HistoryTest const& test);

}  // namespace ddproxy::results
