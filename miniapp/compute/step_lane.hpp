// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "miniapp/compute/bump_allocator.hpp"
#include "miniapp/compute/group_place.hpp"
#include "miniapp/compute/kernel_lane.hpp"
#include "miniapp/compute/step_input.hpp"
#include "miniapp/compute/step_kernels.hpp"
#include "miniapp/compute/step_update.hpp"
#include "miniapp/input/step_memory.hpp"

namespace ddproxy {

/// The place of a buffer in the memory of a step, and the elements of the model that the buffer holds.
struct HeldSlice {
  Slice memory;  ///< in the memory of the step
  Slice model;   ///< may be shorter than `memory`: the other elements are padding
};

/// Carries out the compute tasks of a whole step with the kernels, in fp32. model::whole_step()
/// (model/step/strategies/whole_step.hpp) builds such steps.
///
/// Problem: a step has forward, recompute, backward, norm, clip and update tasks. Its micro-batches and
/// layers share buffers, and the graph says which task uses which buffer. So the lane allocates no buffers
/// except tokens, scratch memory and a few results. Each task works on the slices that the graph names.
///
/// The mode of an access says whether a task assigns a gradient or adds to it: the first micro-batch assigns,
/// and the others add. The gradients are those of the mean loss over the tokens of all micro-batches of the
/// rank.
///
/// Order of calls: construct the lane, then initialise(), then run_step() (run_step.hpp) any number of times.
/// loss() and norm() may be called after each step. On a device carry_out() returns when its kernels are
/// enqueued.
class StepLane : public KernelLane {
 public:
  /// Makes the lane. `graph` is this rank's step of the model `input.shape`. `memory` has the buffers of the
  /// graph at `places`; the lane keeps the memory alive. Copies the tokens to the memory of the kernels and
  /// allocates the scratch memory. Throws as check_input() (step_input.hpp) does. Throws std::logic_error if
  /// a task does not have the number of accesses that its kernel needs. `groups` has this rank's place in its
  /// group of each communicator of the graph; it is used if parameters are divided among the ranks.
  StepLane(StepInput input, model::StepGraph const& graph, StepPlaces const& places, kernels::Floats memory,
           std::vector<GroupPlace> const& groups = {}, kernels::Space exec = {});

  /// Assigns random initial parameters (initialise_weights() in parameters.hpp), and assigns 0 to the
  /// optimizer's state. A rank that has a shard of the parameters gets the elements of its shard; elements
  /// that are padding get 0. The next step then counts as step 1 of the optimizer. Waits until all
  /// elements are assigned.
  void initialise(std::uint32_t seed);

  std::size_t operations() const override { return kernels_.operators(); }
  void begin() override;
  /// Always throws std::logic_error, because the operators of a whole step need the slices that only
  /// carry_out() receives.
  void run(std::size_t operation) override;
  bool knows(model::Compute const& compute) const override { return kernels_.knows(compute); }
  void carry_out(ComputeCall const& call) override;

  /// Returns the mean loss over the tokens of all micro-batches of this rank in the last step. Waits until
  /// the enqueued work is done.
  double loss() const;
  /// Returns the Euclidean norm of the averaged gradients of the last step, before clipping. Waits until the
  /// enqueued work is done. The value is undefined if the step does not clip.
  float norm() const;

 private:
  StepInput input_;
  std::vector<HeldSlice> parameters_, states_;  // the buffers of the parameters and of the optimizer's state
  BumpAllocator<ResultBuffer> results_;
  double* losses_;  // [micro-batch], in results_
  float* clip_;     // [2] the factor and the norm, in results_
  StepKernels kernels_;
  step::Update update_;
};

}  // namespace ddproxy
