// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "miniapp/compute/bump_allocator.hpp"
#include "miniapp/compute/step_input.hpp"
#include "miniapp/compute/step_operators.hpp"
#include "model/step/step_graph.hpp"

namespace ddproxy {

/// Carries out the operators of a model with the kernels: the forward, recompute and backward tasks of a step
/// graph, in fp32. It allocates the tokens and work_buffers() (kernel_memory.hpp). The caller gives each task
/// its places: the arrays that the task reads or writes, in the order of the task's accesses
/// (step_operators.hpp). The functions return when the kernels are enqueued.
class StepKernels {
 public:
  /// Copies the tokens to the memory of the kernels, and allocates the work buffers. A forward pass assigns
  /// the sum of the losses of micro-batch m to losses[m]. If `losses` is null, it computes no sums. `losses`
  /// is in the memory of the kernels and must outlive this object.
  StepKernels(kernels::Space exec, StepInput const& input, double* losses = nullptr);

  /// Returns the number of operators of the model.
  std::size_t operators() const { return operators_.size(); }
  step::Context const& context() const { return context_; }
  /// Returns whether carry_out() can carry out a forward, recompute or backward task. Returns true for tasks
  /// of other phases, which belong to no operator: the caller carries them out.
  bool knows(model::Compute const& compute) const;
  /// Throws std::logic_error if a compute task of `graph` does not have the number of accesses that its
  /// kernel needs.
  void check_places(model::StepGraph const& graph) const;
  /// Carries out a forward, recompute or backward task.
  void carry_out(model::Compute const& compute, step::Operands places) const;

 private:
  void forward(step::Operator const& op, std::size_t micro_batch, step::Operands places) const;
  void backward(step::Operator const& op, std::size_t micro_batch, step::Operands places) const;

  BumpAllocator<WorkBuffer> work_;
  step::Context context_;
  double* losses_;
  std::vector<step::Operator> operators_;
  std::vector<step::DeviceTokens> tokens_;  // [micro-batch]
};

}  // namespace ddproxy
