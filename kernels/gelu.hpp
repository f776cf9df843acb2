// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/base/types.hpp"

namespace ddproxy::kernels {

// GELU in the tanh form that GPT-2 uses (Hendrycks and Gimpel, arXiv:1606.08415, section 2):
// y = x/2 (1 + tanh(u)), u = sqrt(2/pi) (x + 0.044715 x^3).

/// Computes y = x/2 (1 + tanh(u)) for each element. Reads x [count]; assigns y [count].
void gelu_forward(Space const& exec, Index count, float const* x, float* y);

/// Computes the gradient of GELU for each element:
///   dx = dy (1/2 (1 + tanh u) + x/2 (1 - tanh^2 u) du/dx), du/dx = sqrt(2/pi) (1 + 3 0.044715 x^2)
/// Reads x and dy [count]; assigns dx [count], which may be the same array as dy.
void gelu_backward(Space const& exec, Index count, float const* x, float const* dy, float* dx);

}  // namespace ddproxy::kernels
