// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/types.hpp"

namespace ddproxy::kernels {

// GELU in the tanh form that GPT-2 uses (Hendrycks and Gimpel, arXiv:1606.08415, section 2):
// y = x/2 (1 + tanh(u)), u = sqrt(2/pi) (x + 0.044715 x^3).

/// x [count], y [count] assigned.
void gelu_forward(Space const& exec, Index count, float const* x, float* y);

/// dx = dy (1/2 (1 + tanh u) + x/2 (1 - tanh^2 u) du/dx); x, dy [count], dx [count] assigned (it may be dy).
void gelu_backward(Space const& exec, Index count, float const* x, float const* dy, float* dx);

}  // namespace ddproxy::kernels
