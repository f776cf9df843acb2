// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/base/bf16.hpp"
#include "kernels/base/sum_mode.hpp"
#include "kernels/base/types.hpp"

namespace ddproxy::kernels {

/// Returns the number of parts into which a sum over rows is divided. Each part has its own partial sum.
/// There are enough parts to keep `exec` busy.
Index row_parts(Space const& exec);

/// Computes sum[c] = sum over n of x[n, c], which is the gradient of a bias if x is dy. Reads x [rows,
/// columns]; assigns sum [columns] or adds to it, as `mode` says. scratch [row_sum_scratch()
/// (kernels/sizes/scratch.hpp)] is overwritten.
void row_sum(Space const& exec, Index rows, Index columns, float const* x, float* sum, float* scratch,
             SumMode mode = SumMode::assign);

/// Does the same as row_sum(). Also assigns x, rounded to bf16, to `copy` [rows, columns]. A matrix product
/// reads this copy (memory_of_kept() in kernels/gemm/gemm.hpp). rows and columns must be multiples of 8, and
/// x, scratch and copy must be aligned to 16 bytes.
void row_sum_and_copy(Space const& exec, Index rows, Index columns, float const* x, float* sum,
                      float* scratch, SumMode mode, Bf16* copy);

/// Computes sum[c] = sum over p of partial[p, c]. Reads partial [parts, columns]; assigns sum [columns] or
/// adds to it, as `mode` says.
void add_parts(Space const& exec, Index parts, Index columns, float const* partial, float* sum,
               SumMode mode = SumMode::assign);

}  // namespace ddproxy::kernels
