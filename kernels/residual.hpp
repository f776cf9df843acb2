// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/base/types.hpp"

namespace ddproxy::kernels {

/// Computes out = x + branch. Reads x and branch [count]; assigns out [count], which may be the same array as
/// x or branch.
void residual_forward(Space const& exec, Index count, float const* x, float const* branch, float* out);

/// Computes dx += dout. Reads dout [count]; accumulates into dx [count]. The gradient of the branch is dout
/// itself and needs no operation. A transformer block does not need this function, because its layer norms
/// add their gradients to the gradient of the residual stream.
void residual_backward(Space const& exec, Index count, float const* dout, float* dx);

/// Assigns 0 to x [count], for instance to a gradient into which later operators accumulate.
void fill_zero(Space const& exec, Index count, float* x);

}  // namespace ddproxy::kernels
