// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/base/bf16.hpp"
#include "kernels/base/types.hpp"

// The instructions of NVIDIA's tensor cores that the fused attention uses, for compute capability 8.0 and
// later (NVIDIA, PTX ISA 9.0, sections 9.7.14 and 9.7.15). The 32 lanes of a warp call each function
// together.
//
// A product of fragments is C[16, 8] += A[16, 16] B[16, 8]. A and B are bf16, and C is fp32. Each lane holds
// a part of each fragment. With row = lane / 4 and column = 2 (lane % 4):
//   A  four registers. Each has two neighbouring elements of a row, beginning at
//      (row, column), (row + 8, column), (row, column + 8) and (row + 8, column + 8)
//   B  two registers. Each has two neighbouring elements of a column, beginning at
//      (column, row) and (column + 8, row)
//   C  four numbers: (row, column), (row, column + 1), (row + 8, column), (row + 8, column + 1)
#if defined(KOKKOS_ENABLE_CUDA)

namespace ddproxy::kernels::fused {

/// Four registers of a lane, each with two bf16 numbers: the lane's part of a fragment A, or of the fragments
/// B of two neighbouring products.
struct Fragment {
  unsigned part[4];
};

/// A lane's part of a fragment C.
struct Sums {
  float of[4];
};

/// Number of bf16 numbers in a vector of 16 bytes. Tiles are copied and stored in such vectors.
inline constexpr int numbers_of_vector = 8;

__device__ inline unsigned lane_of_warp() {
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}

/// Returns the address of an object in shared memory as the instructions below take it.
__device__ inline unsigned shared_address(void const* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

/// Loads four matrices of 8 x 8 elements from shared memory. Lanes 8 i to 8 i + 7 give the addresses
/// (shared_address()) of the rows of matrix i, aligned to 16 bytes. Register i of a lane gets two
/// neighbouring elements of a row of matrix i, beginning at (lane / 4, 2 (lane % 4)).
__device__ inline Fragment load_matrices(unsigned row) {
  Fragment f{};
#if __CUDA_ARCH__ >= 800
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(f.part[0]), "=r"(f.part[1]), "=r"(f.part[2]), "=r"(f.part[3])
               : "r"(row));
#endif
  return f;
}

/// Does the same as load_matrices(), but transposes each matrix.
__device__ inline Fragment load_matrices_transposed(unsigned row) {
  Fragment f{};
#if __CUDA_ARCH__ >= 800
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(f.part[0]), "=r"(f.part[1]), "=r"(f.part[2]), "=r"(f.part[3])
               : "r"(row));
#endif
  return f;
}

/// Computes C += A B, where b0 and b1 are the registers of B.
__device__ inline void multiply_add(Sums& c, Fragment const& a, unsigned b0, unsigned b1) {
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(c.of[0]), "+f"(c.of[1]), "+f"(c.of[2]), "+f"(c.of[3])
      : "r"(a.part[0]), "r"(a.part[1]), "r"(a.part[2]), "r"(a.part[3]), "r"(b0), "r"(b1));
#endif
}

/// Returns 2^x, or 0 if the result is below the smallest normal number.
__device__ inline float fast_power_of_two(float x) {
  float power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
  return power;
}

/// Returns the largest of the values of the four lanes that hold one row of C.
__device__ inline float largest_of_four_lanes(float x) {
  x = Kokkos::max(x, __shfl_xor_sync(0xffffffffU, x, 1));
  return Kokkos::max(x, __shfl_xor_sync(0xffffffffU, x, 2));
}

/// Returns the sum of the values of the four lanes that hold one row of C.
__device__ inline float sum_of_four_lanes(float x) {
  x += __shfl_xor_sync(0xffffffffU, x, 1);
  return x + __shfl_xor_sync(0xffffffffU, x, 2);
}

/// Begins to copy 16 bytes (or 8) from the device's memory to shared memory. If `exists` is false, it writes
/// zeros and reads nothing.
__device__ inline void copy_16_bytes(void* to, void const* from, bool exists) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)), "l"(from),
               "r"(exists ? 16 : 0)
               : "memory");
#endif
}
__device__ inline void copy_8_bytes(void* to, void const* from, bool exists) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(shared_address(to)), "l"(from),
               "r"(exists ? 8 : 0)
               : "memory");
#endif
}

/// Makes one group of the copies that this thread has begun since the last call.
__device__ inline void end_group_of_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/// Waits until all groups of this thread's copies have completed, except the newest `running` groups.
template <int running>
__device__ inline void wait_for_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(running) : "memory");
#endif
}

}  // namespace ddproxy::kernels::fused

#endif
