// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "kernels/base/bf16.hpp"
#include "kernels/base/types.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#include <cublas_v2.h>
#elif defined(KOKKOS_ENABLE_HIP)
#define HIPBLAS_V2  // selects the newer interface of hipBLAS 2.x, which is the only one of hipBLAS 3.x
#include <hipblas/hipblas.h>
#endif

// Gives the BLAS of the device's vendor one set of names, for gemm_device.cpp. The library is cuBLAS or
// hipBLAS. Both have the same calls, so only the CUDA half has comments. The HIP half has never been run.
//
// The products are C = *alpha op(A) op(B) + *beta C, where op(X) is X or its transpose: op(A) is [m, k],
// op(B) is [k, n], C is [m, n]. If *beta is 0, C is assigned and not read. Matrices are column-major. lda,
// ldb and ldc are the leading dimensions: the elements from one column of A, B or C in memory to the next.
//
// A, B and C are in device memory, *alpha and *beta in host memory. A call reads *alpha and *beta, enqueues
// the products on the stream that set_stream() gave to the handle, and returns whether that worked. The
// products run after everything that is already on the stream.
namespace ddproxy::kernels::blas {

#if defined(KOKKOS_ENABLE_CUDA)

using Handle = cublasHandle_t;
using Operation = cublasOperation_t;
using Compute = cublasComputeType_t;
using Status = cublasStatus_t;
inline constexpr char name[] = "cuBLAS";
inline constexpr Status success = CUBLAS_STATUS_SUCCESS;
inline constexpr Operation no_transpose = CUBLAS_OP_N, transpose = CUBLAS_OP_T;
inline constexpr Compute compute_fp32 = CUBLAS_COMPUTE_32F, compute_tf32 = CUBLAS_COMPUTE_32F_FAST_TF32,
                         compute_bf16 = CUBLAS_COMPUTE_32F_FAST_16BF;
inline constexpr auto create = cublasCreate;
inline constexpr auto destroy = cublasDestroy;
inline constexpr auto set_stream = cublasSetStream;
inline constexpr auto version = cublasGetVersion;
inline constexpr auto status_string = cublasGetStatusString;
/// Enqueues one product of matrices in fp32. `compute` says whether the library may round the operands; sums
/// are in fp32. With compute_bf16 cuBLAS rounds to TF32, not to bf16 (MatrixPrecision in gemm.hpp).
inline Status gemm(Handle h, Operation of_a, Operation of_b, int m, int n, int k, float const* alpha,
                   float const* a, int lda, float const* b, int ldb, float const* beta, float* c, int ldc,
                   Compute compute) {
  return cublasGemmEx(h, of_a, of_b, m, n, k, alpha, a, CUDA_R_32F, lda, b, CUDA_R_32F, ldb, beta, c,
                      CUDA_R_32F, ldc, compute, CUBLAS_GEMM_DEFAULT);
}
/// Does the same as gemm(), with operands in bf16. Sums and the result are in fp32.
inline Status gemm_of_bf16(Handle h, Operation of_a, Operation of_b, int m, int n, int k, float const* alpha,
                           Bf16 const* a, int lda, Bf16 const* b, int ldb, float const* beta, float* c,
                           int ldc) {
  return cublasGemmEx(h, of_a, of_b, m, n, k, alpha, a, CUDA_R_16BF, lda, b, CUDA_R_16BF, ldb, beta, c,
                      CUDA_R_32F, ldc, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
}
/// Enqueues `count` products, each as gemm() does. The matrices of product i, from 0, begin at a + i step_a,
/// b + i step_b and c + i step_c. The results must not overlap.
inline Status gemm_strided_batched(Handle h, Operation of_a, Operation of_b, int m, int n, int k,
                                   float const* alpha, float const* a, int lda, Index step_a, float const* b,
                                   int ldb, Index step_b, float const* beta, float* c, int ldc, Index step_c,
                                   int count, Compute compute) {
  return cublasGemmStridedBatchedEx(h, of_a, of_b, m, n, k, alpha, a, CUDA_R_32F, lda, step_a, b, CUDA_R_32F,
                                    ldb, step_b, beta, c, CUDA_R_32F, ldc, step_c, count, compute,
                                    CUBLAS_GEMM_DEFAULT);
}
/// Enqueues `count` products, each as gemm() does. The matrices of product i, from 0, begin at a[i], b[i] and
/// c[i]. These lists of pointers are in device memory and must stay there until the products have completed.
/// The results must not overlap.
inline Status gemm_batched(Handle h, Operation of_a, Operation of_b, int m, int n, int k, float const* alpha,
                           float const* const* a, int lda, float const* const* b, int ldb, float const* beta,
                           float* const* c, int ldc, int count, Compute compute) {
  return cublasGemmBatchedEx(h, of_a, of_b, m, n, k, alpha, reinterpret_cast<void const* const*>(a),
                             CUDA_R_32F, lda, reinterpret_cast<void const* const*>(b), CUDA_R_32F, ldb, beta,
                             reinterpret_cast<void* const*>(c), CUDA_R_32F, ldc, count, compute,
                             CUBLAS_GEMM_DEFAULT);
}
inline auto stream_of(Space const& exec) {
  return exec.cuda_stream();
}

#elif defined(KOKKOS_ENABLE_HIP)

using Handle = hipblasHandle_t;
using Operation = hipblasOperation_t;
using Compute = hipblasComputeType_t;
using Status = hipblasStatus_t;
inline constexpr char name[] = "hipBLAS";
inline constexpr Status success = HIPBLAS_STATUS_SUCCESS;
inline constexpr Operation no_transpose = HIPBLAS_OP_N, transpose = HIPBLAS_OP_T;
inline constexpr Compute compute_fp32 = HIPBLAS_COMPUTE_32F, compute_tf32 = HIPBLAS_COMPUTE_32F_FAST_TF32,
                         compute_bf16 = HIPBLAS_COMPUTE_32F_FAST_16BF;
inline constexpr auto create = hipblasCreate;
inline constexpr auto destroy = hipblasDestroy;
inline constexpr auto set_stream = hipblasSetStream;
inline constexpr auto status_string = hipblasStatusToString;
inline Status gemm(Handle h, Operation of_a, Operation of_b, int m, int n, int k, float const* alpha,
                   float const* a, int lda, float const* b, int ldb, float const* beta, float* c, int ldc,
                   Compute compute) {
  return hipblasGemmEx(h, of_a, of_b, m, n, k, alpha, a, HIP_R_32F, lda, b, HIP_R_32F, ldb, beta, c,
                       HIP_R_32F, ldc, compute, HIPBLAS_GEMM_DEFAULT);
}
inline Status gemm_of_bf16(Handle h, Operation of_a, Operation of_b, int m, int n, int k, float const* alpha,
                           Bf16 const* a, int lda, Bf16 const* b, int ldb, float const* beta, float* c,
                           int ldc) {
  return hipblasGemmEx(h, of_a, of_b, m, n, k, alpha, a, HIP_R_16BF, lda, b, HIP_R_16BF, ldb, beta, c,
                       HIP_R_32F, ldc, HIPBLAS_COMPUTE_32F, HIPBLAS_GEMM_DEFAULT);
}
inline Status gemm_strided_batched(Handle h, Operation of_a, Operation of_b, int m, int n, int k,
                                   float const* alpha, float const* a, int lda, Index step_a, float const* b,
                                   int ldb, Index step_b, float const* beta, float* c, int ldc, Index step_c,
                                   int count, Compute compute) {
  return hipblasGemmStridedBatchedEx(h, of_a, of_b, m, n, k, alpha, a, HIP_R_32F, lda, step_a, b, HIP_R_32F,
                                     ldb, step_b, beta, c, HIP_R_32F, ldc, step_c, count, compute,
                                     HIPBLAS_GEMM_DEFAULT);
}
// hipBLAS does not change these lists, but it declares them without const. So const is cast away.
inline void const** list_of(float const* const* list) {
  return const_cast<void const**>(reinterpret_cast<void const* const*>(list));
}
inline void** list_of(float* const* list) {
  return const_cast<void**>(reinterpret_cast<void* const*>(list));
}
inline Status gemm_batched(Handle h, Operation of_a, Operation of_b, int m, int n, int k, float const* alpha,
                           float const* const* a, int lda, float const* const* b, int ldb, float const* beta,
                           float* const* c, int ldc, int count, Compute compute) {
  return hipblasGemmBatchedEx(h, of_a, of_b, m, n, k, alpha, list_of(a), HIP_R_32F, lda, list_of(b),
                              HIP_R_32F, ldb, beta, list_of(c), HIP_R_32F, ldc, count, compute,
                              HIPBLAS_GEMM_DEFAULT);
}
inline Status version(Handle, int* number) {
  *number = hipblasVersionMajor * 10000 + hipblasVersionMinor * 100 + hipblasVersionPatch;
  return success;
}
inline auto stream_of(Space const& exec) {
  return exec.hip_stream();
}

#endif

}  // namespace ddproxy::kernels::blas
