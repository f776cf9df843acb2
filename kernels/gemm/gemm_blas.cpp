// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cblas.h>

#include <cstdlib>
#include <string>
#include <type_traits>

#include "kernels/gemm/blas_advice.hpp"
#include "kernels/gemm/gemm.hpp"
#include "kernels/gemm/gemm_precision.hpp"
#include "kernels/gemm/gemm_skinny.hpp"

namespace ddproxy::kernels {
namespace {

static_assert(Kokkos::SpaceAccessibility<Kokkos::HostSpace, Memory>::accessible,
              "host BLAS needs host memory");

void multiply(GemmSize size, float alpha, Matrix const& a, Matrix const& b, float beta, Result const& c) {
  cblas_sgemm(CblasRowMajor, a.transposed ? CblasTrans : CblasNoTrans,
              b.transposed ? CblasTrans : CblasNoTrans, static_cast<int>(size.rows),
              static_cast<int>(size.columns), static_cast<int>(size.inner), alpha, a.data,
              static_cast<int>(a.stride), b.data, static_cast<int>(b.stride), beta, c.data,
              static_cast<int>(c.stride));
}

/// Makes OpenBLAS use as many threads as Kokkos does. Other BLAS libraries keep their own number of threads.
void match_threads([[maybe_unused]] Space const& exec) {
#ifdef DDPROXY_OPENBLAS
  if (openblas_get_num_threads() != exec.concurrency()) openblas_set_num_threads(exec.concurrency());
#endif
}

/// Returns true if several threads may call BLAS at the same time and each call then stays on its thread.
/// This is true for an OpenBLAS without threads and for an OpenBLAS with OpenMP. It is false for an OpenBLAS
/// with POSIX threads, and for other BLAS libraries.
bool callable_in_parallel() {
#ifdef DDPROXY_OPENBLAS
  constexpr int posix_threads = 1;
  return openblas_get_parallel() != posix_threads;
#else
  return false;
#endif
}

}  // namespace

void gemm(Space const& exec, GemmSize size, float alpha, Matrix a, Matrix b, float beta, Result c) {
  match_threads(exec);
  if (is_skinny(size, alpha, a, b, beta)) return gemm_skinny(exec, size, a, b, beta, c);
  static const std::string fence = "gemm: BLAS reads what was enqueued before";
  exec.fence(fence);
  multiply(size, alpha, a, b, beta, c);
}

void gemm_strided_batched(Space const& exec, Index count, GemmSize size, float alpha, Matrix a, Matrix b,
                          float beta, Result c) {
  match_threads(exec);
  const auto one = [=](Index i) {
    multiply(size, alpha, {a.data + i * a.step, a.stride, a.transposed},
             {b.data + i * b.step, b.stride, b.transposed}, beta, {c.data + i * c.step, c.stride});
  };
  if (callable_in_parallel()) {
    static const std::string label = "gemm_strided_batched";
    Kokkos::parallel_for(label, Range(exec, 0, count), one);
  } else {
    static const std::string fence = "gemm_strided_batched: BLAS reads what was enqueued before";
    exec.fence(fence);
    for (Index i = 0; i < count; ++i) one(i);
  }
}

void gemm_batched(Space const& exec, Index count, GemmSize size, float alpha, MatrixList a, MatrixList b,
                  float beta, ResultList c) {
  match_threads(exec);
  exec.fence("gemm_batched: BLAS reads what was enqueued before");
  for (Index i = 0; i < count; ++i)
    multiply(size, alpha, {a.data[i], a.stride, a.transposed}, {b.data[i], b.stride, b.transposed}, beta,
             {c.data[i], c.stride});
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
#ifdef DDPROXY_OPENBLAS
  return std::string(openblas_get_config()) + ", core type " + openblas_get_corename();
#else
  return "CBLAS, library not known";
#endif
}

#ifdef DDPROXY_OPENBLAS
static VectorUnits own_vector_units() {
#ifdef __x86_64__
  const bool avx512 = __builtin_cpu_supports("avx512f");
  return {avx512, avx512 && __builtin_cpu_is("amdfam19h")};  // Zen 4
#else
  return {};
#endif
}

std::string gemm_advice() {
  return join_advice(
      threads_advice(openblas_get_parallel(), Space().concurrency()),
      openblas_advice(openblas_get_corename(), own_vector_units(), std::getenv("OPENBLAS_CORETYPE")));
}

std::string gemm_core_type() {
  return faster_core_type(openblas_get_corename(), own_vector_units());
}
#else
std::string gemm_advice() {
  return {};
}

std::string gemm_core_type() {
  return {};
}
#endif

}  // namespace ddproxy::kernels
