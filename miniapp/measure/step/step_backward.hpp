// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "miniapp/compute/step_lane.hpp"
#include "miniapp/measure/pass/compiled_step.hpp"

namespace ddproxy {

/// Runs single operators of the backward pass on the lane of a whole step. The calibration uses it to run
/// operators while all-reduces run. run() carries out the backward tasks of the operator in micro-batch 0.
class StepBackward : public ComputeLane {
 public:
  /// Takes references only: the lane and the step must outlive this object.
  StepBackward(StepLane& lane, CompiledStep const& step);

  std::size_t operations() const override { return calls_.size(); }
  void begin() override { lane_.begin(); }
  void run(std::size_t operation) override;
  void copy(Slice from, std::size_t to) override { lane_.copy(from, to); }
  void wait_for(Completion const& completion) override { lane_.wait_for(completion); }
  Completion completion() override { return lane_.completion(); }
  void fence() override { lane_.fence(); }

 private:
  StepLane& lane_;
  CompiledStep const& step_;
  std::vector<std::vector<std::size_t>> calls_;  // [operator] indices into step_.phases()
};

}  // namespace ddproxy
