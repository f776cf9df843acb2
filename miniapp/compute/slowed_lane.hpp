// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "miniapp/compute/compute_lane.hpp"
#include "model/transformer/gpt2.hpp"

namespace ddproxy {

/// A compute lane on which one kind of operator takes longer by a share: the slowdown that tests of the gate
/// plant. On a host only, where an operation has ended when run() returns.
class SlowedLane : public ComputeLane {
 public:
  /// `text`: KIND:SHARE, for instance "linear:0.03". Throws std::invalid_argument for another text, and for a
  /// kind that the pass does not have.
  SlowedLane(std::unique_ptr<ComputeLane> lane, model::BackwardPass const& pass, std::string const& text);

  std::size_t operations() const override { return lane_->operations(); }
  void renew() override { lane_->renew(); }
  void begin() override { lane_->begin(); }
  void run(std::size_t operation) override;
  Completion completion() override { return lane_->completion(); }
  void copy(Slice from, std::size_t to) override { lane_->copy(from, to); }
  void wait_for(Completion const& completion) override { lane_->wait_for(completion); }
  void fence() override { lane_->fence(); }

 private:
  std::unique_ptr<ComputeLane> lane_;
  double share_ = 0;
  std::vector<bool> slowed_;  // [operation]
};

}  // namespace ddproxy
