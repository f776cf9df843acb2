// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "miniapp/compute/bump_allocator.hpp"
#include "miniapp/compute/kernel_lane.hpp"
#include "miniapp/compute/step_input.hpp"
#include "miniapp/compute/step_update.hpp"
#include "miniapp/input/step_memory.hpp"

namespace ddproxy {

/// Carries out the compute tasks of a whole step, as model::whole_step() builds it, in fp32 on the kernels.
///
/// Problem: a step has forward, recompute, backward, norm, clip and update tasks, and the micro-batches and
/// layers share buffers. So this lane has no arrays of its own but scratch memory: each task runs on the
/// places that the graph names. The first micro-batch assigns gradients, the others add to them, as the
/// accesses say. The gradients are those of the mean loss over the tokens of all micro-batches of the rank.
///
/// Order of calls: construct it, initialise(), then run_step() any number of times; loss() and norm() after a
/// step. On a device tasks return when their kernels are enqueued.
class StepLane : public KernelLane {
 public:
  /// `graph` is this rank's step of the model `input.shape`. `memory` has the buffers of the graph at
  /// `places`; the lane keeps it alive. Throws as check_input() does. Throws std::logic_error if
  /// a task of the graph does not have the accesses that its kernel needs.
  StepLane(StepInput input, model::StepGraph const& graph, StepPlaces const& places, kernels::Floats memory,
           kernels::Space exec = {});

  /// Assigns random initial parameters (initialise_weights()), and 0 to the optimizer's state. The next step
  /// is the first one. Waits until that is done.
  void initialise(std::uint32_t seed);

  std::size_t operations() const override { return operators_.size(); }
  void begin() override;
  /// Throws std::logic_error: the operators of a whole step need their places.
  void run(std::size_t operation) override;
  bool knows(model::Compute const& compute) const override;
  void carry_out(ComputeCall const& call) override;

  /// Returns the mean loss over the tokens of all micro-batches in the last step. Waits for the step.
  double loss() const;
  /// Returns the norm of the averaged gradients before they were clipped, in the last step. Waits for the
  /// step. Undefined for steps that do not clip.
  float norm() const;

 private:
  void add_operators();
  void add_tokens();
  void check_places(model::StepGraph const& graph) const;
  void forward(ComputeCall const& call);
  void backward(ComputeCall const& call);

  StepInput input_;
  model::BackwardPass pass_;
  std::vector<Slice> parameters_, states_;  // the buffers of the parameters and of the optimizer's state
  BumpAllocator work_memory_;
  step::Context context_;
  double* losses_;  // [micro-batch], in work_memory_
  float* clip_;     // [2] the factor and the norm, in work_memory_
  step::Update update_;
  std::vector<step::Operator> operators_;
  std::vector<step::DeviceTokens> tokens_;  // [micro-batch]
};

}  // namespace ddproxy
