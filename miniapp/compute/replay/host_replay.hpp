// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>
#include <vector>

#include "miniapp/compute/compute_lane.hpp"

namespace ddproxy {

/// Replays operators on a host: nothing is computed, and each operator takes the time that a table gives.
///
/// Problem: a thread that sleeps for this time wakes up late, and the delays would add up. So the lane keeps
/// a deadline: the time at which the work so far is done. An operator moves the deadline and sleeps until the
/// new deadline. The next operator starts at this deadline, not when the thread wakes up. A copy moves the
/// deadline and returns at once.
class HostReplay : public ComputeLane {
 public:
  /// Takes the times: the seconds of each operator, and the seconds for each element that is copied.
  explicit HostReplay(std::vector<double> operation_seconds, double copy_seconds = 0)
      : seconds_(std::move(operation_seconds)), copy_seconds_(copy_seconds) {}
  std::size_t operations() const override { return seconds_.size(); }
  void begin() override { deadline_ = Clock::now(); }
  void run(std::size_t operation) override { hold(seconds_[operation]); }
  /// Occupies the lane for `seconds`, as an operator does.
  void hold(double seconds);
  void copy(Slice from, std::size_t to) override;
  /// Moves the deadline to the time of the completion, if that is later. The completion must not be an event.
  void wait_for(Completion const& completion) override;
  Completion completion() override { return {deadline_}; }
  void fence() override;

 private:
  std::vector<double> seconds_;
  double copy_seconds_;
  Clock::time_point deadline_{};
};

}  // namespace ddproxy
