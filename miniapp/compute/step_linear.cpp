// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/linear.hpp"
#include "kernels/residual.hpp"
#include "miniapp/compute/step_operators.hpp"

namespace ddproxy::step {

// Places: x, (residual stream,) y, (bias,) weight. Only a map that ends a branch has the residual stream as a
// place. Such a map assigns stream + x W + bias to y.
void linear_forward(Context const& context, Operator const& op, Operands places) {
  float const* const x = places.next().data;
  float const* const stream = places.next_if(op.ends_branch);
  const Operand y = places.next();
  float const* const bias = places.next_if(op.biased);
  float const* const weight = places.next().data;
  kernels::linear_forward(context.exec, {context.rows(), op.in, op.out}, x, weight, bias, y.data);
  if (op.ends_branch) kernels::residual_forward(context.exec, y.count, stream, y.data, y.data);
}

// Places: x, dy, dx, weight, (dbias,) dweight.
void linear_backward(Context const& context, Operator const& op, Operands places) {
  float const* const x = places.next().data;
  float const* const dy = places.next().data;
  const Operand dx = places.next();
  float const* const weight = places.next().data;
  float* const dbias = places.next_if(op.biased);
  const Operand dweight = places.next();
  kernels::linear_backward(context.exec, {context.rows(), op.in, op.out}, x, weight, dy,
                           {dbias, dweight.data, dx.data, dweight.mode, dx.mode}, context.scratch);
}

// Places: x, logits, weight.
void head_forward(Context const& context, Operator const& op, Operands places) {
  float const* const x = places.next().data;
  float* const logits = places.next().data;
  float const* const weight = places.next().data;
  kernels::head_forward(context.exec, {context.rows(), op.in, op.out}, x, weight, logits);
}

// Places: x, dlogits, dx, weight, dweight.
void head_backward(Context const& context, Operator const& op, Operands places) {
  float const* const x = places.next().data;
  float const* const dlogits = places.next().data;
  float* const dx = places.next().data;
  float const* const weight = places.next().data;
  const Operand dweight = places.next();
  kernels::head_backward(context.exec, {context.rows(), op.in, op.out}, x, weight, dlogits, dweight.data, dx,
                         dweight.mode);
}

}  // namespace ddproxy::step
