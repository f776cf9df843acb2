// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/types.hpp"
#include "miniapp/compute/compute_lane.hpp"
#include "miniapp/device/device.hpp"
#include "model/transformer/gpt2.hpp"

namespace ddproxy {

/// The most operators and copies of one step: each gradient is copied into its bucket and back at most once.
inline std::size_t most_launches(model::BackwardPass const& pass) {
  return pass.operations.size() + 2 * pass.gradients.size();
}

/// What compute lanes that use kernels have in common: one execution-space instance, copies by a kernel, and
/// completions.
class KernelLane : public ComputeLane {
 public:
  void begin() override { marks_.move_on(); }
  void copy(Slice from, std::size_t to) override;
  void wait_for(Completion const& completion) override { begin_after(exec_, completion); }
  Completion completion() override { return marks_.after(exec_); }
  void fence() override { exec_.fence("ComputeLane"); }

 protected:
  /// `memory` holds the buffers of a step; it may be empty where nothing is copied. `launches`: the operators
  /// and copies of a step.
  KernelLane(kernels::Space exec, kernels::Floats memory, std::size_t launches)
      : exec_(std::move(exec)), memory_(std::move(memory)), marks_(launches) {}

  kernels::Space exec_;
  kernels::Floats memory_;
  Marks marks_;
};

}  // namespace ddproxy
