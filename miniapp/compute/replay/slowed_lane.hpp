// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "miniapp/compute/compute_lane.hpp"
#include "model/transformer/gpt2.hpp"

namespace ddproxy {

/// Runs operators on another compute lane, and makes the operators of one kind take longer by a given share.
/// Tests of the regression gate use it to plant a slowdown. Use it on hosts only, because run() waits for the
/// end of each slowed operator.
class SlowedLane : public ComputeLane {
 public:
  /// Takes the other lane. `text` is KIND:SHARE. For instance, "linear:0.03" makes linear maps take 3 %
  /// longer. Throws std::invalid_argument if SHARE is not a number above 0, or if the pass has no operator of
  /// that kind.
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
  std::vector<bool> slowed_;  // [operation] whether it is slowed
};

}  // namespace ddproxy
