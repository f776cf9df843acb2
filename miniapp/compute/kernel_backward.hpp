// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "miniapp/compute/kernel_lane.hpp"
#include "miniapp/compute/step_kernels.hpp"
#include "miniapp/input/step_memory.hpp"

namespace ddproxy {

/// Computes the backward pass of a model in fp32 with the kernels, from the activations of a real forward
/// pass. It carries out the tasks of backward_graph() (kernel_memory.hpp).
///
/// The constructor runs one forward pass, and renew() runs it again. Call run() for every operator, in the
/// order of the pass. This order matters, because all layers share the buffers of the gradients of
/// activations, and an operator reads what earlier operators wrote there. On a device run() returns when the
/// kernels are enqueued.
class KernelBackward : public KernelLane {
 public:
  /// Allocates parameters, activations and tokens, and runs one forward pass. All ranks with the same `seed`
  /// have the same parameters. Each `rank` has its own random tokens, those of draw_tokens() with the seed
  /// `seed` + `rank`. `gradients` [parameters] receives the gradients of the mean loss over the rank's
  /// tokens, in ready order. Each backward pass assigns all of them. `memory` contains the buffers of a step,
  /// among them the gradients; copy() copies from one part of it to another. `pass` is the backward pass of
  /// `shape`. Throws as check_kernels_have() (kernel_memory.hpp) does. Throws std::invalid_argument if the
  /// size of `gradients` is not the number of parameters.
  KernelBackward(model::Shape const& shape, model::BackwardPass const& pass, model::Tokens tokens,
                 std::uint32_t seed, int rank, kernels::Floats gradients, kernels::Floats memory = {},
                 kernels::Space exec = {});

  std::size_t operations() const override { return backward_.size(); }
  void renew() override;
  void run(std::size_t operation) override {
    enqueue(backward_[operation]);
    marks_.move_on();
  }

  /// Returns a view of the parameters in ready order. It is valid as long as this object exists.
  kernels::Floats parameters() const {
    return Kokkos::subview(buffers_, std::pair(std::size_t{0}, gradients_.size()));
  }
  /// Returns the number of elements that were allocated for parameters, activations and gradients of
  /// activations.
  std::size_t elements() const { return buffers_.size(); }

 private:
  /// A task of the graph. The offsets of its slices count from the start of gradients_ if the slice holds
  /// gradients of parameters, and from the start of buffers_ otherwise.
  struct PlacedTask {
    model::Compute compute;
    std::vector<PlacedAccess> accesses;
  };

  void add_tasks(model::StepGraph const& graph, StepPlaces const& places);
  void enqueue(PlacedTask const& task) const {
    kernels_.carry_out(task.compute, {task.accesses, buffers_.data(), gradients_.data()});
  }

  kernels::Floats gradients_;
  StepKernels kernels_;
  kernels::Floats buffers_;  // the buffers of the graph except the gradients; the parameters first
  std::vector<PlacedTask> forward_, backward_;  // [operator, in the order of the phase]
};

}  // namespace ddproxy
