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
// (model/step/strategies/micro_batch.cpp).
//
// In the shapes below, a micro-batch has B sequences of T tokens, N = B T; C = d_model, F = d_ff. H and G are
// the numbers of heads of queries and of keys, D is the number of features of a head, and V the size of the
// vocabulary. A name with a d in front is a gradient: dx is that of x. On a device the functions return when
// the kernels are enqueued. They throw std::runtime_error if the vendor's BLAS reports an error (gemm() in
// kernels/gemm/gemm.hpp).
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
  kernels::Index in, out;  ///< numbers of input features and of output features
  bool biased;             ///< it has a bias
  bool ends_branch;        ///< it is a linear map whose result is added to the residual stream
};

/// The tokens of one micro-batch in the memory of the kernels.
struct DeviceTokens {
  kernels::TokenIds inputs;     ///< [N]
  kernels::TokenIds targets;    ///< [N]
  kernels::TokenGroups groups;  ///< row numbers of the inputs, grouped by token
};

/// The execution-space instance, sizes and arrays that all operators of a step use. The pointers are not
/// owned.
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

/// Computes y = x weight + bias. Reads x [N, in], weight [in, out] and, if op.biased, bias [out]; assigns y
/// [N, out]. If op.ends_branch, also reads the residual stream [N, out] and adds it to y.
void linear_forward(Context const& context, Operator const& op, Operands places);
/// Computes the gradients of x weight + bias. Reads x [N, in], dy [N, out] and weight [in, out]. Assigns dx
/// [N, in], or adds to it, as the mode of its access says. Assigns dweight [in, out] and, if op.biased, dbias
/// [out], or adds to them, as the mode of the access to dweight says.
void linear_backward(Context const& context, Operator const& op, Operands places);
/// Computes logits = x weight^T. Reads x [N, C] and weight [V, C]; assigns logits [N, V].
void head_forward(Context const& context, Operator const& op, Operands places);
/// Reads x [N, C], dlogits [N, V] and weight [V, C]. Assigns dx [N, C]. Assigns dweight [V, C], or adds to
/// it, as the mode of its access says.
void head_backward(Context const& context, Operator const& op, Operands places);

// Layer norms and RMS norms. The statistics of a layer norm are [2, N], the means and then the reciprocal
// standard deviations. Those of an RMS norm are [N], the reciprocals of the root mean squares.

/// Computes the norm of each row. Reads x [N, C], weight [C] and, if op.biased, bias [C]; assigns y [N, C]
/// and the statistics.
void norm_forward(Context const& context, Operator const& op, Operands places);
/// Reads x and dy [N, C], the statistics and weight [C]. Adds to dx [N, C], the gradient of the residual
/// stream; if the access assigns dx, first sets dx to 0. Assigns dweight [C] and, if op.biased, dbias [C], or
/// adds to them, as the mode of the access to dweight says.
void norm_backward(Context const& context, Operator const& op, Operands places);

// Attention and rotations (RoPE). q, k and v are one place qkv [N, (H + 2 G) D], or three places: q
// [N, H D], k and v [N, G D]. Activations: GELU or SwiGLU.

/// Computes causal attention. Reads q, k and v; assigns log_sum [B, H, T] and out [N, H D].
void attention_forward(Context const& context, Operands places);
/// Reads q, k, v, log_sum, out and dout [N, H D]; assigns dq, dk and dv, which are laid out as q, k and v.
void attention_backward(Context const& context, Operands places);
/// Rotates q and k in place. Does not change v.
void rope_forward(Context const& context, Operands places);
/// Rotates dq and dk back, in place. Does not change dv.
void rope_backward(Context const& context, Operands places);
/// Computes y = GELU(x), or y = silu(gate) x with SwiGLU. Reads x [N, F] and, with SwiGLU, gate [N, F];
/// assigns y [N, F].
void activation_forward(Context const& context, Operands places);
/// Reads x, dy and, with SwiGLU, gate, all [N, F]. Overwrites dy with dx. With SwiGLU also assigns dgate
/// [N, F].
void activation_backward(Context const& context, Operands places);

// Embeddings and the loss.

/// Assigns to each row of x [N, C] the row of table [V, C] of its token.
void token_forward(Context const& context, DeviceTokens const& tokens, Operands places);
/// Adds each row of dx [N, C] to the row of dtable [V, C] of its token; if the access assigns dtable, first
/// sets dtable to 0.
void token_backward(Context const& context, DeviceTokens const& tokens, Operands places);
/// Adds row t of table [context, C] to the row of x [N, C] of each token at position t.
void position_forward(Context const& context, Operands places);
/// Sums the rows of dx [N, C] of each position. Assigns the sums to dtable [context, C], or adds them to it,
/// as the mode of its access says. For the positions from T on, which no token has, the sums are 0.
void position_backward(Context const& context, Operands places);
/// Reads logits [N, V]; assigns log_sum [N], the logarithm of the softmax's denominator, and the loss of each
/// token [N]. If `sum` is not null, assigns the sum of these losses to *sum, in memory of the kernels.
void loss_forward(Context const& context, DeviceTokens const& tokens, Operands places, double* sum);
/// Computes the gradient of context.loss_scale times the sum of the losses. Reads logits [N, V] and log_sum
/// [N]; assigns dlogits [N, V].
void loss_backward(Context const& context, DeviceTokens const& tokens, Operands places);

/// Returns the number of places that a task of phase `phase` needs. `op` is the operator of the task; it is
/// used for the phases forward, recompute and backward only. `clips` tells whether the step clips gradients;
/// if so, an update also reads the sum of the squares of all gradients. Throws std::logic_error if there is
/// no kernel for the operator.
std::size_t places_of(model::Shape const& shape, Operator const& op, model::Phase phase, bool clips);

}  // namespace ddproxy::step
