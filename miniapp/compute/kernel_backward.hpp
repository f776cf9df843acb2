// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "miniapp/compute/kernel_lane.hpp"
#include "miniapp/compute/kernel_model.hpp"
#include "miniapp/device/device.hpp"

namespace ddproxy {

/// Computes the backward pass of a GPT-2 in fp32 on the kernels, from the activations of a real forward pass.
///
/// The constructor runs one forward pass, and renew() runs it again. Call run() for every operator, in the
/// order of the pass. This order matters, because all layers share the work buffers, and an operator reads
/// what earlier operators wrote there. On a device run() returns when the kernels are enqueued.
class KernelBackward : public KernelLane {
 public:
  /// Allocates the model and runs one forward pass. `gradients` [parameters] receives the gradients of the
  /// mean loss over the rank's tokens, in ready order. Each backward pass assigns all of them. `memory`
  /// contains the buffers of a step, among them the gradients; copy() copies from one part of it to another.
  /// `seed` and `rank` are passed to KernelModel. Throws as check_kernels_have() (kernel_memory.hpp) does.
  /// Throws std::invalid_argument if the size of `gradients` is not the number of parameters.
  KernelBackward(model::Shape const& shape, model::BackwardPass const& pass, model::Tokens tokens,
                 std::uint32_t seed, int rank, kernels::Floats gradients, kernels::Floats memory = {},
                 kernels::Space exec = {});

  // not copyable: the functions in steps_ contain `this`
  KernelBackward(KernelBackward const&) = delete;
  KernelBackward& operator=(KernelBackward const&) = delete;

  std::size_t operations() const override { return steps_.size(); }
  void renew() override;
  void run(std::size_t operation) override {
    steps_[operation]();
    marks_.move_on();
  }

  KernelModel const& gpt() const { return gpt_; }

 private:
  using Step = std::function<void()>;

  /// The input of a layer norm and its statistics, from the forward pass.
  struct NormOperands {
    float const* x;
    kernels::RowStatistics statistics;
  };

  /// The input of a linear map, the gradient of its output, and the destination of the gradient of its input.
  struct LinearOperands {
    float const* x;
    float const* dy;
    float* dx;
  };

  Step step(model::Operation const& operation);
  Step norm_step(model::Operation const& operation, ParameterPlaces at);
  Step linear_step(model::Operation const& operation, ParameterPlaces at);
  NormOperands norm_operands(model::Operation const& operation) const;
  LinearOperands linear_operands(model::Operation const& operation) const;
  BlockActivations const& block_of(model::Operation const& operation) const;
  void loss() const;
  void head(float const* weight, float* out) const;
  void gelu(BlockActivations const& block) const;
  void attention(BlockActivations const& block) const;
  void position_table(float* table) const;
  void token_table(float* table) const;

  kernels::Floats gradients_;
  KernelModel gpt_;
  BumpAllocator work_memory_;
  WorkBuffers work_;
  std::vector<Step> steps_;
};

}  // namespace ddproxy
