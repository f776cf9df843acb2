// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/base/types.hpp"
#include "miniapp/compute/compute_lane.hpp"
#include "miniapp/device/marks.hpp"
#include "model/transformer/gpt2.hpp"

namespace ddproxy {

/// Returns the largest number of operators and copies in one step: all operators, and two copies of each
/// gradient (into its bucket and back).
inline std::size_t most_launches(model::BackwardPass const& pass) {
  return pass.operations.size() + 2 * pass.gradients.size();
}

/// Base class of the compute lanes that use kernels. It has one execution-space instance (a stream on a
/// device) and makes the completions. copy() runs a kernel.
class KernelLane : public ComputeLane {
 public:
  void begin() override { marks_.move_on(); }
  void copy(Slice from, std::size_t to) override;
  void wait_for(Completion const& completion) override { begin_after(exec_, completion); }
  Completion completion() override { return marks_.after(exec_); }
  void fence() override { exec_.fence("ComputeLane"); }

 protected:
  /// Takes an execution-space instance and the memory. `memory` contains the buffers of a step. It may be
  /// empty if copy() is never called. `launches` is the largest number of operators, tasks and copies in a
  /// step.
  KernelLane(kernels::Space exec, kernels::Floats memory, std::size_t launches)
      : exec_(std::move(exec)), memory_(std::move(memory)), marks_(launches) {}

  kernels::Space exec_;
  kernels::Floats memory_;
  Marks marks_;
};

}  // namespace ddproxy
