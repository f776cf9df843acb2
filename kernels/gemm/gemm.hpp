// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "kernels/base/bf16.hpp"
#include "kernels/base/types.hpp"

namespace ddproxy::kernels {

/// An operand of a matrix product, stored row by row. Does not own the memory.
struct Matrix {
  float const* data;
  Index stride;             ///< elements from one row to the next
  bool transposed = false;  ///< the product uses the transpose of this matrix
  Index step = 0;           ///< batched: elements from one matrix to the next
  bool is_kept = false;     ///< there is a copy rounded to bf16, and gemm() uses it; see keep_rounded()
};

/// The result of a matrix product, row-major. Does not own the memory.
struct Result {
  float* data;
  Index stride;    ///< elements from one row to the next
  Index step = 0;  ///< batched: elements from one matrix to the next
};

/// The operands of a batch of products: matrices of one shape, anywhere in memory. `data` lists pointers to
/// their first elements. The list lies in the memory of the execution space, and it must be there until the
/// products have completed.
struct MatrixList {
  float const* const* data;
  Index stride;             ///< elements from one row to the next, in each matrix
  bool transposed = false;  ///< the products use the transposes of these matrices
};

/// The results of a batch of products, row-major, listed as in MatrixList.
struct ResultList {
  float* const* data;
  Index stride;
};

/// The dimensions of a product: op(A) is [rows, inner], op(B) is [inner, columns], C is [rows, columns].
struct GemmSize {
  Index rows;
  Index columns;
  Index inner;
};

/// Computes C = alpha op(A) op(B) + beta C, where op(X) is X or its transpose. With beta = 0 it assigns C and
/// does not read it. The backend is chosen at build time. On a device it is the vendor's BLAS: the product is
/// enqueued on the stream of `exec`. On a host it is BLAS if one was found, else plain Kokkos. With BLAS,
/// gemm_skinny() computes the products for which is_skinny() is true (gemm_skinny.hpp). Throws
/// std::runtime_error if the vendor's BLAS reports an error.
void gemm(Space const& exec, GemmSize size, float alpha, Matrix a, Matrix b, float beta, Result c);

/// Computes gemm() for `count` products in one call. Product i, from 0, uses the matrices that begin i * step
/// elements after those of product 0. Each operand and the result have a `step` of their own. The results
/// must not overlap.
void gemm_strided_batched(Space const& exec, Index count, GemmSize size, float alpha, Matrix a, Matrix b,
                          float beta, Result c);

/// Computes gemm() for `count` products in one call. Product i uses the i-th matrix of each list. The results
/// must not overlap.
void gemm_batched(Space const& exec, Index count, GemmSize size, float alpha, MatrixList a, MatrixList b,
                  float beta, ResultList c);

/// Computes gemm_strided_batched() in plain Kokkos. It works in every execution space, and it is slow.
void gemm_plain(Space const& exec, Index count, GemmSize size, float alpha, Matrix a, Matrix b, float beta,
                Result c);

/// The precision in which operands enter a product. fp32 keeps all bits. tf32 and bf16 use the tensor cores
/// of NVIDIA's A100 and later GPUs: operands are rounded to a mantissa of 10 bits (tf32) or 7 bits (bf16).
/// With all three precisions, sums are computed and results are stored in fp32.
///
/// With bf16, gemm() rounds copies of its operands and multiplies the copies
/// (kernels/gemm/rounded_operands.hpp). cuBLAS would not round fp32 operands to bf16: it multiplies them in
/// TF32. The batched products have no copies, so with bf16 they run in TF32.
enum class MatrixPrecision { fp32, tf32, bf16 };

/// Sets the precision of all later products. The precision is fp32 when the program starts. Call this
/// function only while no other thread computes a product. Throws std::invalid_argument with a one-line
/// message if the backend does not support the precision: the backends for hosts support fp32 only.
void set_matrix_precision(MatrixPrecision precision);

/// Returns the precision of products.
MatrixPrecision matrix_precision();

/// Rounds a matrix once for several products. With bf16 it enqueues the kernel that writes a rounded copy of
/// `m`, and gemm() uses this copy for the matrix that is returned. The copy is valid until the next call of
/// keep_rounded(), or of memory_of_kept() if that returns memory. With fp32 and tf32 it returns `m`. `rows`
/// and `columns` are those in memory, before a transposition.
Matrix keep_rounded(Space const& exec, Index rows, Index columns, Matrix m);

/// Returns memory for a rounded copy of a matrix [rows, columns]. Use this function if your own kernel can
/// write the rounded elements: let the kernel fill the memory, set Matrix::is_kept, and do not call
/// keep_rounded(). Returns a null pointer if products do not run in bf16, or if rows or columns are not
/// multiples of 8. In these cases call keep_rounded().
Bf16* memory_of_kept(Space const& exec, Index rows, Index columns);

/// Returns a text for the provenance in results files: library and version of the backend, and the core type
/// (OpenBLAS) or the precision (device).
std::string gemm_backend();

/// Returns one line for the user if the backend is known to be slow on this processor; the line says what to
/// do. Returns an empty string otherwise.
std::string gemm_advice();

/// Returns the value of OPENBLAS_CORETYPE that is known to make OpenBLAS faster on this processor than the
/// core type that it chose. Returns an empty string if none is known. OpenBLAS reads that variable once,
/// before main(), so the program has to be started again to use the value.
std::string gemm_core_type();

}  // namespace ddproxy::kernels
