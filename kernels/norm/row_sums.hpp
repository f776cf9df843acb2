// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/base/bf16.hpp"
#include "kernels/base/sum_mode.hpp"
#include "kernels/base/types.hpp"
#include "kernels/norm/row_statistics.hpp"

// The kernels that sum over the rows of an array: the gradients of biases and of the weights of norms. The
// rows are divided into parts. A kernel such as row_sum() assigns a partial sum of each column for each part,
// and add_parts() adds these partial sums. There are two implementations. `hosts` runs on hosts only: a
// thread works on whole rows, and the compiler vectorizes over columns. In `devices` a thread works on one
// column of a part, or on four neighbouring columns. `devices` also gives right results on a host.
namespace ddproxy::kernels {

/// An array [rows, columns] whose rows are divided into `parts` parts.
struct RowParts {
  Index rows;
  Index columns;
  Index parts;
  /// Returns the number of rows of a part. The last parts can have fewer rows, or none.
  KOKKOS_FUNCTION Index rows_of_part() const { return (rows + parts - 1) / parts; }
  KOKKOS_FUNCTION Index first_row(Index part) const { return part * rows_of_part(); }
  KOKKOS_FUNCTION Index end_row(Index part) const {
    const Index end = first_row(part) + rows_of_part();
    return end < rows ? end : rows;
  }
};

/// The inputs of a norm's backward pass: x and dy [rows, columns], weight [columns].
struct NormInputs {
  float const* x;
  float const* weight;
  float const* dy;
};

namespace hosts {

/// Adds the gradient of x to dx [rows, columns]. Assigns the partial sums of dweight, then those of dbias:
/// partial [2, parts, columns].
void layernorm_backward(Space const& exec, RowParts size, NormInputs in, RowStatistics statistics, float* dx,
                        float* partial);

/// Adds the gradient of x to dx [rows, columns]. Assigns the partial sums of dweight: partial [parts,
/// columns].
void rmsnorm_backward(Space const& exec, RowParts size, NormInputs in, float const* inverse_rms, float* dx,
                      float* partial);

/// Assigns the partial sums of x [rows, columns]: partial [parts, columns].
void row_sum(Space const& exec, RowParts size, float const* x, float* partial);

/// Computes sum[c] = sum over p of partial[p, c]; assigns it or adds it, as `mode` says.
void add_parts(Space const& exec, Index parts, Index columns, float const* partial, float* sum, SumMode mode);

}  // namespace hosts

/// The functions take the same arguments and compute the same results as the functions in `hosts`.
namespace devices {
void layernorm_backward(Space const& exec, RowParts size, NormInputs in, RowStatistics statistics, float* dx,
                        float* partial);
void rmsnorm_backward(Space const& exec, RowParts size, NormInputs in, float const* inverse_rms, float* dx,
                      float* partial);
void row_sum(Space const& exec, RowParts size, float const* x, float* partial);
void add_parts(Space const& exec, Index parts, Index columns, float const* partial, float* sum, SumMode mode);

/// Does the same as row_sum(). In the same pass it assigns x, rounded to bf16, to `copy` [rows, columns]. So
/// x is read only once. columns must be a multiple of 4, and x, partial and copy must be aligned to 16 bytes.
void row_sum_and_copy(Space const& exec, RowParts size, float const* x, float* partial, Bf16* copy);
}  // namespace devices

}  // namespace ddproxy::kernels
