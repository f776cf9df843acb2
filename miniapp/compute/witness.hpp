// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "miniapp/compute/backward.hpp"

namespace ddproxy {

/// A backward pass that notes when each of its operations was complete.
class Witness : public Backward {
 public:
  explicit Witness(Backward& backward) : backward_(backward) { ends_.reserve(backward.operations()); }
  std::size_t operations() const override { return backward_.operations(); }
  void begin() override { backward_.begin(); }
  void run(std::size_t operation) override {
    backward_.run(operation);
    ends_.push_back(backward_.completion());
  }
  Completion completion() override { return backward_.completion(); }
  void fence() override { backward_.fence(); }
  bool takes_back() const override { return backward_.takes_back(); }
  void take_back(Slice slice, Completion reduced) override { backward_.take_back(slice, reduced); }
  /// Of a pass that is over.
  std::vector<Clock::time_point> ends() const {
    std::vector<Clock::time_point> moments;
    for (auto const& end : ends_) moments.push_back(moment_of(end));
    return moments;
  }

 private:
  Backward& backward_;
  std::vector<Completion> ends_;
};

}  // namespace ddproxy
