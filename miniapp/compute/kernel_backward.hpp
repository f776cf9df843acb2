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

/// The backward pass of a GPT-2 in float, computed by the kernels from the activations of one real forward
/// pass.
class KernelBackward : public KernelLane {
 public:
  /// `gradients` [parameters] receives the gradients of the mean loss over the rank's tokens, in ready order,
  /// each pass assigning them anew. `memory` holds the buffers of a step, the gradients among them; copies go
  /// from one part of it to another. Seed and rank are those of KernelModel. Throws as check_kernels_have()
  /// does, and where the size of `gradients` is not the number of parameters.
  KernelBackward(model::Shape const& shape, model::BackwardPass const& pass, model::Tokens tokens,
                 std::uint32_t seed, int rank, kernels::Floats gradients, kernels::Floats memory = {},
                 kernels::Space exec = {});

  // the steps hold `this`
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

  /// What a layer norm read and is to add its gradient to.
  struct NormOperands {
    float const* x;
    kernels::RowStatistics statistics;
  };

  /// What a linear map read, the gradient of its output, and where that of its input goes.
  struct LinearOperands {
    float const* x;
    float const* dy;
    float* dx;
  };

  Step step(model::Operation const& operation);
  Step norm_step(model::Operation const& operation);
  Step linear_step(model::Operation const& operation);
  NormOperands norm_operands(model::Operation const& operation) const;
  LinearOperands linear_operands(model::Operation const& operation) const;
  BlockActivations const& block_of(model::Operation const& operation) const;
  float* gradient(std::string const& name) const { return gradients_.data() + gpt_.layout.of(name).offset; }
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
