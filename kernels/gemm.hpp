// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "kernels/types.hpp"

namespace ddproxy::kernels {

/// An operand of a matrix product, row-major.
struct Matrix {
  float const* data;
  Index stride;             ///< elements from one row to the next
  bool transposed = false;  ///< enters the product as its transpose
  Index step = 0;           ///< batched: elements from one matrix to the next
};

/// The result of a matrix product, row-major.
struct Result {
  float* data;
  Index stride;    ///< elements from one row to the next
  Index step = 0;  ///< batched: elements from one matrix to the next
};

/// Of the product: op(A) is [rows, inner], op(B) [inner, columns], C [rows, columns].
struct GemmSize {
  Index rows;
  Index columns;
  Index inner;
};

/// C = alpha op(A) op(B) + beta C; beta 0 assigns. By the backend chosen at build time: the vendor's BLAS on
/// a device, on the stream of `exec`; BLAS on the host where there is one, else plain Kokkos.
void gemm(Space const& exec, GemmSize size, float alpha, Matrix a, Matrix b, float beta, Result c);

/// The same for `count` matrices, which are worked on side by side; the results must not overlap.
void gemm_strided_batched(Space const& exec, Index count, GemmSize size, float alpha, Matrix a, Matrix b,
                          float beta, Result c);

/// The same in plain Kokkos: right in every execution space, and slow.
void gemm_plain(Space const& exec, Index count, GemmSize size, float alpha, Matrix a, Matrix b, float beta,
                Result c);

/// How operands enter a product: with all their bits, or rounded on the way to the tensor cores of NVIDIA's
/// A100 and its successors, to TF32's 10-bit mantissas or to bf16's 7-bit ones, for which cuBLAS may take
/// TF32 where that is faster. They are stored in fp32, and sums are fp32, in all three.
enum class MatrixPrecision { fp32, tf32, bf16 };

/// Of all products from now on; fp32 at the start. Not to be called while another thread multiplies. Throws
/// std::invalid_argument, in one line, where the backend does not have it: the host's have fp32 alone.
void set_matrix_precision(MatrixPrecision precision);

/// Who computes the products and how, for the provenance: library, version, core type or precision.
std::string gemm_backend();

/// One line for the user where the backend is known to run slowly on this processor, with the cure; else
/// empty.
std::string gemm_advice();

/// The value of OPENBLAS_CORETYPE with which OpenBLAS is known to be faster on this processor than with the
/// kernels that it chose; else empty. It reads that variable once, before main().
std::string gemm_core_type();

}  // namespace ddproxy::kernels
