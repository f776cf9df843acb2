// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/types.hpp"

namespace ddproxy::kernels {

/// out = x + branch; all [count], out assigned (it may be x).
void residual_forward(Space const& exec, Index count, float const* x, float const* branch, float* out);

/// dx += dout; both [count]. The gradient of the branch is dout itself: it needs no operation. (The layer
/// norms add theirs to the residual stream's gradient directly, so that a transformer block does not need
/// this one.)
void residual_backward(Space const& exec, Index count, float const* dout, float* dx);

/// x = 0; x [count] assigned. Where a gradient that others accumulate begins.
void fill_zero(Space const& exec, Index count, float* x);

}  // namespace ddproxy::kernels
