// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/norm/layernorm.hpp"
#include "kernels/norm/rmsnorm.hpp"
#include "kernels/residual.hpp"
#include "miniapp/compute/step_operators.hpp"

namespace ddproxy::step {
namespace {

bool is_layernorm(Context const& context) {
  return context.shape.norm == model::Norm::layernorm;
}

/// Returns the two parts of the statistics [2, N] of a layer norm: the means, then the reciprocal standard
/// deviations.
kernels::RowStatistics halves(Context const& context, float* statistics) {
  return {statistics, statistics + context.rows()};
}

}  // namespace

// Places: x, statistics, y, (bias,) weight.
void norm_forward(Context const& context, Operator const& op, Operands places) {
  float const* const x = places.next().data;
  float* const statistics = places.next().data;
  float* const y = places.next().data;
  float const* const bias = places.next_if(op.biased);
  float const* const weight = places.next().data;
  if (is_layernorm(context))
    kernels::layernorm_forward(context.exec, context.rows(), op.in, x, weight, bias, y,
                               halves(context, statistics));
  else
    kernels::rmsnorm_forward(context.exec, context.rows(), op.in, x, weight, y, statistics);
}

// Places: x, statistics, dy, dx, weight, (dbias,) dweight. The kernels add to dx, the gradient of the
// residual stream. In the backward pass, the model's last norm is the first operator that writes dx. It
// assigns 0 to dx before the kernels add.
void norm_backward(Context const& context, Operator const& op, Operands places) {
  float const* const x = places.next().data;
  float* const statistics = places.next().data;
  float const* const dy = places.next().data;
  const Operand dx = places.next();
  float const* const weight = places.next().data;
  float* const dbias = places.next_if(op.biased);
  const Operand dweight = places.next();
  if (dx.mode == kernels::SumMode::assign) kernels::fill_zero(context.exec, dx.count, dx.data);
  if (is_layernorm(context))
    kernels::layernorm_backward(context.exec, context.rows(), op.in, x, halves(context, statistics), weight,
                                dy, {dweight.data, dbias, dx.data, dweight.mode}, context.scratch);
  else
    kernels::rmsnorm_backward(context.exec, context.rows(), op.in, x, statistics, weight, dy,
                              {dweight.data, dx.data, dweight.mode}, context.scratch);
}

}  // namespace ddproxy::step
