// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/attention/rope.hpp"
#include "kernels/gelu.hpp"
#include "kernels/swiglu.hpp"
#include "miniapp/compute/step_operators.hpp"

namespace ddproxy::step {
namespace {

bool is_fused(Context const& context) {
  return context.shape.qkv == model::Qkv::fused;
}

bool is_gated(Context const& context) {
  return context.shape.activation == model::Activation::swiglu;
}

/// Returns pointers to queries, keys and values in the next places. If the model has them fused, they share
/// one place. Otherwise queries and keys have a place each, and values have one if `with_values` is true.
kernels::Qkv next_qkv(Context const& context, Operands& places, bool with_values) {
  if (is_fused(context)) return kernels::packed_qkv(context.attention, places.next().data);
  float* const q = places.next().data;
  float* const k = places.next().data;
  float* const v = places.next_if(with_values);
  return kernels::separate_qkv(context.attention, q, k, v);
}

}  // namespace

// Places: (qkv, or q, k, v), log_sum, out.
void attention_forward(Context const& context, Operands places) {
  const kernels::Qkv qkv = next_qkv(context, places, true);
  float* const log_sum = places.next().data;
  float* const out = places.next().data;
  kernels::attention_forward(context.exec, context.attention, kernels::as_const(qkv), out, log_sum,
                             context.scratch);
}

// Places: (qkv, or q, k, v), log_sum, out, dout, (dqkv, or dq, dk, dv).
void attention_backward(Context const& context, Operands places) {
  const kernels::Qkv qkv = next_qkv(context, places, true);
  float const* const log_sum = places.next().data;
  float const* const out = places.next().data;
  float const* const dout = places.next().data;
  const kernels::Qkv dqkv = next_qkv(context, places, true);
  kernels::attention_backward(context.exec, context.attention,
                              kernels::AttentionKept{kernels::as_const(qkv), out, log_sum}, dout, dqkv,
                              context.scratch);
}

// Places: (qkv, or q, k).
void rope_forward(Context const& context, Operands places) {
  kernels::rope_forward(context.exec, context.attention, context.rope_table,
                        next_qkv(context, places, false));
}

// Places: (dqkv, or dq, dk).
void rope_backward(Context const& context, Operands places) {
  kernels::rope_backward(context.exec, context.attention, context.rope_table,
                         next_qkv(context, places, false));
}

// Places with GELU: x, y. Places with SwiGLU: gate, x, y.
void activation_forward(Context const& context, Operands places) {
  float const* const gate = places.next_if(is_gated(context));
  float const* const x = places.next().data;
  const Operand y = places.next();
  if (gate != nullptr)
    kernels::swiglu_forward(context.exec, y.count, gate, x, y.data);
  else
    kernels::gelu_forward(context.exec, y.count, x, y.data);
}

// Places with GELU: x, dy. Places with SwiGLU: gate, x, dy, dgate. The function overwrites dy with dx.
void activation_backward(Context const& context, Operands places) {
  float const* const gate = places.next_if(is_gated(context));
  float const* const x = places.next().data;
  const Operand dy = places.next();
  float* const dgate = places.next_if(is_gated(context));
  if (gate != nullptr)
    kernels::swiglu_backward(context.exec, dy.count, gate, x, dy.data, {dgate, dy.data});
  else
    kernels::gelu_backward(context.exec, dy.count, x, dy.data, dy.data);
}

}  // namespace ddproxy::step
