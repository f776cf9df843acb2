// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>

#include "kernels/attention/attention.hpp"
#include "kernels/base/sum_mode.hpp"
#include "kernels/embedding.hpp"
#include "miniapp/compute/compute_lane.hpp"
#include "model/transformer/gpt2.hpp"

// These functions carry out the operators of a whole step with the kernels. Each function carries out one
// operator, forward or backward, on the places of its task. A place is an array in the memory of the step
// that the task reads or writes. The places have the order of the task's accesses: first the operands that
// model/transformer/forward_pass.cpp lists, and last the gradients of parameters
// (model/step/strategies/micro_batch.cpp). In the shapes below, N is the number of tokens of a micro-batch.
// On a device the functions return when the kernels are enqueued.
namespace ddproxy::step {

/// A place that a task uses. The memory of the step owns it.
struct Operand {
  float* data;
  kernels::Index count;
  kernels::SumMode mode;  ///< `assign` if the task overwrites it, else `add`
};

/// Returns the places of a task one after another, in the order of its accesses.
class Operands {
 public:
  /// Takes the accesses of a task. `memory` points to element 0 of the memory of the step. The offset of
  /// a slice counts from `gradients` if the slice holds gradients of parameters, and from `memory` otherwise.
  /// The arrays and the accesses must outlive this object.
  Operands(std::span<const PlacedAccess> accesses, float* memory, float* gradients)
      : next_(accesses.begin()), memory_(memory), gradients_(gradients) {}

  /// Returns the next place. Call it at most as often as there are accesses.
  Operand next() {
    PlacedAccess const& access = *next_++;
    const bool assigns = access.mode == model::AccessMode::assign;
    float* const base = access.content == model::Content::gradient ? gradients_ : memory_;
    return {base + access.slice.offset, static_cast<kernels::Index>(access.slice.count),
            assigns ? kernels::SumMode::assign : kernels::SumMode::add};
  }
  /// If `exists` is true, returns a pointer to the first element of the next place. If it is false, returns a
  /// null pointer and takes no place.
  float* next_if(bool exists) { return exists ? next().data : nullptr; }

 private:
  std::span<const PlacedAccess>::iterator next_;
  float* memory_;
  float* gradients_;
};

/// The properties of an operator of the model that the kernels need.
struct Operator {
  model::OperationKind kind;
  kernels::Index in, out;  ///< features
  bool biased;             ///< it has a bias
  bool ends_branch;        ///< it is a linear map whose result is added to the residual stream
};

/// The tokens of one micro-batch in the memory of the kernels.
struct DeviceTokens {
  kernels::TokenIds inputs;     ///< [N]
  kernels::TokenIds targets;    ///< [N]
  kernels::TokenGroups groups;  ///< positions of the inputs, grouped by token
};

/// The instance, sizes and arrays that all operators of a step use. The pointers are not owned.
struct Context {
  kernels::Space exec;
  model::Shape shape;
  kernels::AttentionSize attention;
  float loss_scale;         ///< 1 / (number of tokens of all micro-batches)
  float* scratch;           ///< scratch memory of one kernel at a time
  float const* rope_table;  ///< [T, D] for T positions and heads of D features; only with rotations (RoPE)

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

// Attention and rotations (RoPE), with q, k and v in one place or in three. Activations: GELU or SwiGLU.
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
/// Assigns the loss of each token to the last place of the task, and the sum of these losses to *sum if `sum`
/// is not null.
void loss_forward(Context const& context, DeviceTokens const& tokens, Operands places, double* sum);
void loss_backward(Context const& context, DeviceTokens const& tokens, Operands places);

/// Returns the number of places that a task of phase `phase` needs. `op` is the operator of the task; it is
/// used for the phases forward, recompute and backward only. `clips` tells whether the step clips gradients;
/// if so, an update also reads their norm. Throws std::logic_error if there is no kernel for the operator.
std::size_t places_of(model::Shape const& shape, Operator const& op, model::Phase phase, bool clips);

}  // namespace ddproxy::step
