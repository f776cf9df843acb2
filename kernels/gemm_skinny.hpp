// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/gemm.hpp"

// Products of the backward pass with few tokens, on the host. A general BLAS copies both operands into its
// own layout; here one is small, and the large one (a weight, or the gradient of one) is read or written
// once, in place.
namespace ddproxy::kernels {

/// Whether gemm_skinny() has the product: op(A) op(B), nothing added or scaled, with few tokens.
bool is_skinny(GemmSize size, float alpha, Matrix a, Matrix b, float beta);

/// C = op(A) op(B), assigned.
void gemm_skinny(Space const& exec, GemmSize size, Matrix a, Matrix b, Result c);

}  // namespace ddproxy::kernels
