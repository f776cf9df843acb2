// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "miniapp/compute/backward.hpp"

namespace ddproxy {

/// A backward pass in which each operation takes the time that a table says, without burning the host. An
/// operation starts at the deadline of the one before it, not at the moment of waking up, so that late
/// wake-ups do not add up.
class HostReplay : public Backward {
 public:
  /// Each element that is copied back takes `back_seconds`; below 0 nothing is copied back.
  explicit HostReplay(std::vector<double> operation_seconds, double back_seconds = -1)
      : seconds_(std::move(operation_seconds)), back_seconds_(back_seconds) {}
  std::size_t operations() const override { return seconds_.size(); }
  void begin() override { deadline_ = Clock::now(); }
  void run(std::size_t operation) override;
  Completion completion() override { return {deadline_}; }
  bool takes_back() const override { return back_seconds_ >= 0; }
  void take_back(Slice slice, Completion reduced) override;
  void fence() override;

 private:
  std::vector<double> seconds_;
  double back_seconds_;
  Clock::time_point deadline_{};
};

}  // namespace ddproxy
