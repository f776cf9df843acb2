// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/gemm/gemm.hpp"
#include "kernels/gemm/gemm_precision.hpp"

namespace ddproxy::kernels {

void gemm(Space const& exec, GemmSize size, float alpha, Matrix a, Matrix b, float beta, Result c) {
  gemm_plain(exec, 1, size, alpha, a, b, beta, c);
}

void gemm_strided_batched(Space const& exec, Index count, GemmSize size, float alpha, Matrix a, Matrix b,
                          float beta, Result c) {
  gemm_plain(exec, count, size, alpha, a, b, beta, c);
}

void gemm_batched(Space const& exec, Index count, GemmSize size, float alpha, MatrixList a, MatrixList b,
                  float beta, ResultList c) {
  exec.fence("gemm_batched: the host reads lists that earlier kernels write");
  for (Index i = 0; i < count; ++i)
    gemm_plain(exec, 1, size, alpha, {a.data[i], a.stride, a.transposed}, {b.data[i], b.stride, b.transposed},
               beta, {c.data[i], c.stride});
}

void set_matrix_precision(MatrixPrecision precision) {
  require_fp32(precision);
}

MatrixPrecision matrix_precision() {
  return MatrixPrecision::fp32;
}

Matrix keep_rounded(Space const&, Index, Index, Matrix m) {
  return m;
}

Bf16* memory_of_kept(Space const&, Index, Index) {
  return nullptr;
}

std::string gemm_backend() {
  return "plain Kokkos";
}

std::string gemm_advice() {
  return "matrix products run in plain Kokkos, which is many times slower than a BLAS; install a BLAS with "
         "cblas.h and build again";
}

std::string gemm_core_type() {
  return {};
}

}  // namespace ddproxy::kernels
