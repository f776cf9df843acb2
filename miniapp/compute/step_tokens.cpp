// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/cross_entropy.hpp"
#include "kernels/embedding.hpp"
#include "kernels/residual.hpp"
#include "miniapp/compute/step_operators.hpp"

namespace ddproxy::step {

// Places: x, table.
void token_forward(Context const& context, DeviceTokens const& tokens, Operands places) {
  float* const x = places.next().data;
  float const* const table = places.next().data;
  kernels::token_forward(context.exec, context.embedding(), tokens.inputs.data(), table, x);
}

// Places: dx, dtable. If the table is tied to the output head, dtable already contains the gradient from the
// head, and the function adds to it.
void token_backward(Context const& context, DeviceTokens const& tokens, Operands places) {
  float const* const dx = places.next().data;
  const Operand dtable = places.next();
  if (dtable.mode == kernels::SumMode::assign) kernels::fill_zero(context.exec, dtable.count, dtable.data);
  kernels::token_backward(context.exec, context.shape.d_model, tokens.groups, tokens.inputs.data(), dx,
                          dtable.data);
}

// Places: x, table.
void position_forward(Context const& context, Operands places) {
  float* const x = places.next().data;
  float const* const table = places.next().data;
  kernels::position_forward(context.exec, context.embedding(), table, x);
}

// Places: dx, dtable.
void position_backward(Context const& context, Operands places) {
  float const* const dx = places.next().data;
  const Operand dtable = places.next();
  kernels::position_backward(context.exec, context.embedding(), context.shape.context, dx, dtable.data,
                             dtable.mode);
}

// Places: logits, log_sum, loss.
void loss_forward(Context const& context, DeviceTokens const& tokens, Operands places, double* sum) {
  float const* const logits = places.next().data;
  float* const log_sum = places.next().data;
  float* const loss = places.next().data;
  kernels::cross_entropy_forward(context.exec, context.rows(), context.shape.vocabulary, logits,
                                 tokens.targets.data(), log_sum, loss);
  if (sum != nullptr) kernels::sum_of_losses(context.exec, context.rows(), loss, sum);
}

// Places: logits, log_sum, dlogits.
void loss_backward(Context const& context, DeviceTokens const& tokens, Operands places) {
  float const* const logits = places.next().data;
  float const* const log_sum = places.next().data;
  float* const dlogits = places.next().data;
  kernels::cross_entropy_backward(context.exec, context.rows(), context.shape.vocabulary, logits, log_sum,
                                  tokens.targets.data(), context.loss_scale, dlogits);
}

}  // namespace ddproxy::step
