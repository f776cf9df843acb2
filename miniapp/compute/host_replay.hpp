// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>
#include <vector>

#include "miniapp/compute/compute_lane.hpp"

namespace ddproxy {

/// A compute lane on which each operator takes the time that a table says, without using the host's core. An
/// operator starts at the deadline of the one before it, not when the host wakes up, so that late wake-ups do
/// not add up.
class HostReplay : public ComputeLane {
 public:
  /// `operation_seconds`: of each operator. `copy_seconds`: of each element that is copied.
  explicit HostReplay(std::vector<double> operation_seconds, double copy_seconds = 0)
      : seconds_(std::move(operation_seconds)), copy_seconds_(copy_seconds) {}
  std::size_t operations() const override { return seconds_.size(); }
  void begin() override { deadline_ = Clock::now(); }
  void run(std::size_t operation) override;
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
