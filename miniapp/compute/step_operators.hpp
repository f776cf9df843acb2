// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>

#include "kernels/attention.hpp"
#include "kernels/embedding.hpp"
#include "kernels/sum_mode.hpp"
#include "miniapp/compute/compute_lane.hpp"
#include "model/transformer/gpt2.hpp"

// The operators of a whole step on the kernels. A function carries out one operator, forward or backward, on
// the places that its task names. The order of the places is that of the accesses of the task
// (model/step/strategies/micro_batch.cpp, with the operands of model/transformer/forward_pass.cpp; gradients
// of parameters come last). N tokens of a micro-batch, C = d_model.
namespace ddproxy::step {

/// A place that a task uses.
struct Operand {
  float* data;
  kernels::Index count;
  kernels::SumMode mode;  ///< `assign` if the task overwrites it, else `add`
};

/// The places that a task uses, one after another in the order of the graph.
class Operands {
 public:
  /// `memory` is the memory of the step, whose elements the accesses count.
  Operands(std::span<const PlacedAccess> accesses, float* memory)
      : next_(accesses.begin()), memory_(memory) {}

  /// Returns the next place. Call it at most as often as there are accesses.
  Operand next() {
    PlacedAccess const& access = *next_++;
    const bool assigns = access.mode == model::AccessMode::assign;
    return {memory_ + access.slice.offset, static_cast<kernels::Index>(access.slice.count),
            assigns ? kernels::SumMode::assign : kernels::SumMode::add};
  }
  /// Returns the first element of the next place if there is one, which `exists` says; else a null pointer.
  float* next_if(bool exists) { return exists ? next().data : nullptr; }

 private:
  std::span<const PlacedAccess>::iterator next_;
  float* memory_;
};

/// An operator of the model, as far as a kernel needs to know it.
struct Operator {
  model::OperationKind kind;
  kernels::Index in, out;  ///< features
  bool biased;             ///< it has a bias
  bool ends_branch;        ///< a linear map whose result is added to the residual stream
};

/// The tokens of one micro-batch in the memory of the kernels.
struct DeviceTokens {
  kernels::TokenIds inputs;     ///< [N]
  kernels::TokenIds targets;    ///< [N]
  kernels::TokenGroups groups;  ///< of the inputs
};

/// What all operators of a step use.
struct Context {
  kernels::Space exec;
  model::Shape shape;
  kernels::AttentionSize attention;
  float loss_scale;         ///< 1 / the tokens of all micro-batches
  float* scratch;           ///< scratch memory of one kernel at a time
  float const* rope_table;  ///< [T, D]; only with rotations

  kernels::Index rows() const { return attention.batch * attention.sequence; }
  kernels::EmbeddingSize embedding() const {
    return {attention.batch, attention.sequence, static_cast<kernels::Index>(shape.d_model)};
  }
};

// Linear maps and the output head.
void linear_forward(Context const& context, Operator const& op, Operands places);
void linear_backward(Context const& context, Operator const& op, Operands places);
void head_forward(Context const& context, Operator const& op, Operands places);
void head_backward(Context const& context, Operator const& op, Operands places);

// Layer norms and RMS norms.
void norm_forward(Context const& context, Operator const& op, Operands places);
void norm_backward(Context const& context, Operator const& op, Operands places);

// Attention and rotations, with q, k and v in one place or in three; GELU or SwiGLU.
void attention_forward(Context const& context, Operands places);
void attention_backward(Context const& context, Operands places);
void rope_forward(Context const& context, Operands places);
void rope_backward(Context const& context, Operands places);
void activation_forward(Context const& context, Operands places);
void activation_backward(Context const& context, Operands places);

// Embeddings and the loss.
void token_forward(Context const& context, DeviceTokens const& tokens, Operands places);
void token_backward(Context const& context, DeviceTokens const& tokens, Operands places);
void position_forward(Context const& context, Operands places);
void position_backward(Context const& context, Operands places);
/// Assigns *sum, the sum of the losses of all tokens, besides the places of the task.
void loss_forward(Context const& context, DeviceTokens const& tokens, Operands places, double* sum);
void loss_backward(Context const& context, DeviceTokens const& tokens, Operands places);

/// Returns how many places a task has. `op`: its operator; only of forward, recompute and backward. `clips`:
/// whether updates read the norm.
std::size_t places_of(model::Shape const& shape, Operator const& op, model::Phase phase, bool clips);

}  // namespace ddproxy::step
