// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>

namespace ddproxy::results {

/// Decides when a growing file is written to the disk again, so that writing takes less than 1 % of the time.
class FlushPace {
 public:
  using Clock = std::chrono::steady_clock;

  /// Records a flush that took from `start` to `end`.
  void flushed(Clock::time_point start, Clock::time_point end) {
    end_ = end;
    cost_ = end - start;
  }
  /// Returns true if 100 times the duration of the last flush has passed since it ended. The first flush is
  /// due at once.
  bool due(Clock::time_point now) const { return now - end_ >= rest * cost_; }

 private:
  static constexpr int rest = 100;
  Clock::time_point end_{};
  Clock::duration cost_{};
};

}  // namespace ddproxy::results
