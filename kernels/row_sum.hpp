// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/types.hpp"

namespace ddproxy::kernels {

/// Parts into which sums over rows are cut, each with its own partial sum: enough to occupy the space.
Index row_parts(Space const& exec);

/// The same for a space of that concurrency, which need not exist yet.
Index row_parts(Index concurrency);

/// Elements of scratch memory that a sum over rows of `columns` elements needs.
Index row_sum_scratch(Index concurrency, Index columns);

/// sum[c] = sum over n of x[n, c]; x [rows, columns], sum [columns] assigned. The gradient of a bias.
void row_sum(Space const& exec, Index rows, Index columns, float const* x, float* sum, float* scratch);

/// sum[c] = sum over p of partial[p, c]; partial [parts, columns], sum [columns] assigned.
void add_parts(Space const& exec, Index parts, Index columns, float const* partial, float* sum);

}  // namespace ddproxy::kernels
