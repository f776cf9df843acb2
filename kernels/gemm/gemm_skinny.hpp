// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/gemm/gemm.hpp"

// Matrix products of a training step with few tokens, on a host. A general BLAS copies both operands into its
// own layout. These products have one large matrix: an operand that is a weight, or a result that is the
// gradient of a weight. gemm_skinny() reads or writes this matrix in memory only once. At most it copies
// blocks of the weight, and each block fits into a cache.
namespace ddproxy::kernels {

/// Returns true if gemm_skinny() can compute this product and is faster than BLAS for it. The product must
/// have few tokens and alpha = 1, and at most one operand may be transposed. beta must be 0, or 1 if neither
/// operand is transposed.
bool is_skinny(GemmSize size, float alpha, Matrix a, Matrix b, float beta);

/// Computes C = op(A) op(B) + beta C. Call it only if is_skinny() returns true for the product.
void gemm_skinny(Space const& exec, GemmSize size, Matrix a, Matrix b, float beta, Result c);

}  // namespace ddproxy::kernels
