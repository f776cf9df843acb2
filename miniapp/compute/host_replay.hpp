// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>
#include <vector>

#include "miniapp/compute/compute_lane.hpp"

namespace ddproxy {

/// Replays operators on a host: each takes the time that a table gives, and the thread sleeps meanwhile. An
/// operator starts at the deadline of the one before it, not when the thread wakes up. So late wake-ups do
/// not add up. A copy moves the deadline and returns at once.
class HostReplay : public ComputeLane {
 public:
  /// `operation_seconds`: seconds of each operator. `copy_seconds`: seconds for each element that is copied.
  explicit HostReplay(std::vector<double> operation_seconds, double copy_seconds = 0)
      : seconds_(std::move(operation_seconds)), copy_seconds_(copy_seconds) {}
  std::size_t operations() const override { return seconds_.size(); }
  void begin() override { deadline_ = Clock::now(); }
  void run(std::size_t operation) override { hold(seconds_[operation]); }
  /// Occupies the lane for so many seconds, as an operator does.
  void hold(double seconds);
  void copy(Slice from, std::size_t to) override;
  void wait_for(Completion const& completion) override;
  Completion completion() override { return {deadline_}; }
  void fence() override;

 private:
  std::vector<double> seconds_;
  double copy_seconds_;
  Clock::time_point deadline_{};
};

}  // namespace ddproxy
