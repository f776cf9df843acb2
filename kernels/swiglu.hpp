// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/base/types.hpp"

namespace ddproxy::kernels {

// SwiGLU without biases (Shazeer, arXiv:2002.05202, equation 6): silu(gate) times up, where
// silu(gate) = gate s and s = 1 / (1 + exp(-gate)). gate and up are the results of two linear maps of the
// same input.

/// Computes y = silu(gate) up for each element. Reads gate and up [count]; assigns y [count], which may be
/// the same array as gate or up.
void swiglu_forward(Space const& exec, Index count, float const* gate, float const* up, float* y);

/// The gradients that swiglu_backward() writes. Both are assigned.
struct SwigluGradients {
  float* gate;  ///< [count]
  float* up;    ///< [count]
};

/// Computes the gradients of SwiGLU for each element; silu is computed again:
///   dgate = dy up s (1 + gate (1 - s))
///   dup   = dy silu(gate)
/// Reads gate, up and dy [count]. Each output may be the same array as one of the inputs.
void swiglu_backward(Space const& exec, Index count, float const* gate, float const* up, float const* dy,
                     SwigluGradients out);

}  // namespace ddproxy::kernels
