// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "miniapp/backward.hpp"

namespace ddproxy {

/// A backward pass in which each operation takes the time that a table says, without burning the host. An
/// operation starts at the deadline of the one before it, not at the moment of waking up, so that late
/// wake-ups do not add up.
class ReplayBackward : public Backward {
 public:
  explicit ReplayBackward(std::vector<double> operation_seconds) : seconds_(std::move(operation_seconds)) {}
  std::size_t operations() const override { return seconds_.size(); }
  void begin() override { deadline_ = Clock::now(); }
  void run(std::size_t operation) override;
  Completion completion() override { return {deadline_}; }
  void fence() override;

 private:
  std::vector<double> seconds_;
  Clock::time_point deadline_{};
};

}  // namespace ddproxy
