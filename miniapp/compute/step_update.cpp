// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/compute/step_update.hpp"

#include "kernels/gradient_norm.hpp"
#include "kernels/scale.hpp"

namespace ddproxy::step {
namespace {

/// Returns a pointer to the scalar of a step, which is a double. It occupies two elements of 4 bytes.
double* as_double(float* scalar) {
  return reinterpret_cast<double*>(scalar);
}

}  // namespace

void Update::add_squares(Context const& context, Operands places) {
  const Operand scalar = places.next();
  const Operand gradients = places.next();
  double* const sum = own_sum_ != nullptr ? own_sum_ : as_double(scalar.data);
  kernels::sum_of_squares(context.exec, gradients.count, gradients.data, scalar.mode, sum, context.scratch);
  if (own_sum_ != nullptr) kernels::split_sum(context.exec, own_sum_, scalar.data);
}

// If a collective added the sums of the ranks, own_sum_ is overwritten by the sum over all ranks. The next
// step assigns own_sum_ again.
void Update::find_factor(Context const& context, float* sum) {
  if (own_sum_ != nullptr) kernels::join_sum(context.exec, sum, own_sum_);
  double const* const all = own_sum_ != nullptr ? own_sum_ : as_double(sum);
  kernels::clip_factor(context.exec, 1, all, *clip_, {result_, result_ + 1});
}

float const* Update::factor(Context const& context, float* sum) {
  if (!factor_is_known_) find_factor(context, sum);
  factor_is_known_ = true;
  return result_;
}

void Update::clip(Context const& context, Operands places) {
  float* const sum = places.next().data;
  const Operand gradients = places.next();
  kernels::scale(context.exec, gradients.count, factor(context, sum), gradients.data);
}

void Update::adamw(Context const& context, Operands places) {
  const Operand gradients = places.next();
  float* const parameters = places.next().data;
  float* const first = places.next().data;
  float* const second = places.next().data;
  float* const sum = places.next_if(clip_.has_value());
  float const* const scale = sum != nullptr ? factor(context, sum) : nullptr;
  kernels::adamw(context.exec, gradients.count, settings_, step_, {parameters, gradients.data, first, second},
                 scale);
}

}  // namespace ddproxy::step
