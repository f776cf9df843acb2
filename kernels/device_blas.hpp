// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "kernels/types.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#include <cublas_v2.h>
#elif defined(KOKKOS_ENABLE_HIP)
#define HIPBLAS_V2  // of the two interfaces of hipBLAS 2.x the one that 3.x has alone
#include <hipblas/hipblas.h>
#endif

// The device vendor's BLAS under one name, for gemm_device.cpp: cuBLAS, or hipBLAS, which follows it call by
// call. The HIP half was never compiled.
namespace ddproxy::kernels::blas {

#if defined(KOKKOS_ENABLE_CUDA)

using Handle = cublasHandle_t;
using Operation = cublasOperation_t;
using Compute = cublasComputeType_t;
using Status = cublasStatus_t;
inline constexpr char name[] = "cuBLAS";
inline constexpr Status success = CUBLAS_STATUS_SUCCESS;
inline constexpr Operation as_it_is = CUBLAS_OP_N, across = CUBLAS_OP_T;
inline constexpr Compute compute_fp32 = CUBLAS_COMPUTE_32F, compute_tf32 = CUBLAS_COMPUTE_32F_FAST_TF32;
inline constexpr auto real = CUDA_R_32F;
inline constexpr auto algorithm = CUBLAS_GEMM_DEFAULT;
inline constexpr auto create = cublasCreate;
inline constexpr auto destroy = cublasDestroy;
inline constexpr auto set_stream = cublasSetStream;
inline constexpr auto version = cublasGetVersion;
inline constexpr auto say = cublasGetStatusString;
inline constexpr auto multiply =
    static_cast<Status (*)(Handle, Operation, Operation, int, int, int, void const*, void const*,
                           cudaDataType, int, long long, void const*, cudaDataType, int, long long,
                           void const*, void*, cudaDataType, int, long long, int, Compute, cublasGemmAlgo_t)>(
        cublasGemmStridedBatchedEx);
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
inline constexpr Operation as_it_is = HIPBLAS_OP_N, across = HIPBLAS_OP_T;
inline constexpr Compute compute_fp32 = HIPBLAS_COMPUTE_32F, compute_tf32 = HIPBLAS_COMPUTE_32F_FAST_TF32;
inline constexpr auto real = HIP_R_32F;
inline constexpr auto algorithm = HIPBLAS_GEMM_DEFAULT;
inline constexpr auto create = hipblasCreate;
inline constexpr auto destroy = hipblasDestroy;
inline constexpr auto set_stream = hipblasSetStream;
inline constexpr auto say = hipblasStatusToString;
inline constexpr auto multiply = hipblasGemmStridedBatchedEx;
inline Status version(Handle, int* number) {
  *number = hipblasVersionMajor * 10000 + hipblasVersionMinor * 100 + hipblasVersionPatch;
  return success;
}
inline auto stream_of(Space const& exec) {
  return exec.hip_stream();
}

#endif

}  // namespace ddproxy::kernels::blas
