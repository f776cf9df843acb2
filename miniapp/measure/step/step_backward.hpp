// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "miniapp/compute/step_lane.hpp"
#include "miniapp/measure/pass/compiled_step.hpp"

namespace ddproxy {

/// Makes the lane of a whole step usable where single operators of the backward pass are needed: the
/// calibration runs them beside all-reduces. run() carries out the backward task of micro-batch 0. Does not
/// own the lane; the lane and the step outlive this object.
class StepBackward : public ComputeLane {
 public:
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
