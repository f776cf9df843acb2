// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/attention/fused_copies.hpp"
#include "kernels/attention/tensor_cores.hpp"

// Tiles in shared memory, and the products of one warp, for the fused attention. A team has four warps. A
// tile has `rows` rows of D bf16 numbers, which lie in memory in chunks of eight. Chunk c of row r is stored
// at place c XOR (r mod 8) of the row. So the eight rows that one load of a matrix reads lie in different
// banks.
#if defined(KOKKOS_ENABLE_CUDA)

namespace ddproxy::kernels::fused {

inline constexpr int warps = 4, lanes = 32;
inline constexpr int rows_of_warp = 16;  ///< rows of a fragment A
inline constexpr int rows_of_team = warps * rows_of_warp;
inline constexpr int inner =
    16;  ///< columns of a fragment A; products of two fragments B cover as many columns

/// The position of the calling thread in its team.
struct Place {
  int warp, lane;
  __device__ int thread() const { return warp * lanes + lane; }
  __device__ int row() const { return lane / 4; }  ///< first row of this lane in fragments A and C
  __device__ int column() const {
    return 2 * (lane % 4);
  }  ///< first column of this lane in fragments A and C
};

/// Returns the number of tiles of a sequence. A team works on one tile of queries or keys.
KOKKOS_INLINE_FUNCTION Index tiles_of(AttentionSize const& size) {
  return (size.sequence + rows_of_team - 1) / rows_of_team;
}

template <int D>
__device__ Bf16* chunk_of(Bf16* tile, int row, int number) {
  return tile + row * D + (number ^ (row % 8)) * chunk;
}
template <int D>
__device__ Bf16 const* chunk_of(Bf16 const* tile, int row, int number) {
  return tile + row * D + (number ^ (row % 8)) * chunk;
}

/// Begins to copy `rows` rows of D numbers into a tile. Rows from `there` on become zero.
template <int D, int rows>
__device__ void copy_tile(Place at, Bf16 const* from, Index there, Bf16* tile) {
  constexpr int chunks = D / chunk;
  for (int i = at.thread(); i < rows * chunks; i += warps * lanes) {
    const int row = i / chunks, number = i % chunks;
    const bool exists = row < there;
    copy_16_bytes(chunk_of<D>(tile, row, number), exists ? from + row * D + number * chunk : from, exists);
  }
}

/// Begins to copy the QueryRows of `rows` queries. Those from `there` on become zero.
template <int rows>
__device__ void copy_query_rows(Place at, QueryRow const* from, Index there, QueryRow* to) {
  const int row = at.thread();
  if (row >= rows) return;
  copy_8_bytes(to + row, row < there ? from + row : from, row < there);
}

/// Loads the fragment A of rows `row` to row + 15 and of the 16 columns from 16 `step` on.
template <int D>
__device__ Fragment load_a(Place at, Bf16 const* tile, int row, int step) {
  return load_matrices(chunk_of<D>(tile, row + at.lane % 16, 2 * step + at.lane / 16));
}

/// Loads the fragments B of two products with the transpose of a tile: the columns of B are the rows `row` to
/// row + 15 of the tile, and the inner dimension is its 16 columns from 16 `step` on.
template <int D>
__device__ Fragment load_b_of_transpose(Place at, Bf16 const* tile, int row, int step) {
  return load_matrices(chunk_of<D>(tile, row + at.lane % 8 + at.lane / 16 * 8, 2 * step + at.lane / 8 % 2));
}

/// Loads the fragments B of two products with a tile: the inner dimension is the rows `row` to row + 15 of
/// the tile, and the columns of B are its 16 columns from 16 `step` on.
template <int D>
__device__ Fragment load_b(Place at, Bf16 const* tile, int row, int step) {
  return load_matrices_transposed(chunk_of<D>(tile, row + at.lane % 16, 2 * step + at.lane / 16));
}

/// Computes two neighbouring fragments, C[0] += A B[0] and C[1] += A B[1].
__device__ inline void multiply_add_two(Sums* c, Fragment const& a, Fragment const& b) {
  multiply_add(c[0], a, b.part[0], b.part[1]);
  multiply_add(c[1], a, b.part[2], b.part[3]);
}

/// Rounds two neighbouring fragments C to one fragment A.
__device__ inline Fragment rounded(Sums const* c) {
  return {{to_two_bf16(c[0].of[0], c[0].of[1]), to_two_bf16(c[0].of[2], c[0].of[3]),
           to_two_bf16(c[1].of[0], c[1].of[1]), to_two_bf16(c[1].of[2], c[1].of[3])}};
}

/// The fragments A of 16 rows of D columns.
template <int D>
struct RowFragments {
  Fragment of[D / inner];
  __device__ void load(Place at, Bf16 const* tile, int row) {
    for (int step = 0; step < D / inner; ++step) of[step] = load_a<D>(at, tile, row, step);
  }
  /// Adds this times the transpose of 16 rows of a tile to the two fragments of C.
  __device__ void multiply_transposed(Place at, Bf16 const* tile, int row, Sums* c) const {
    for (int step = 0; step < D / inner; ++step)
      multiply_add_two(c, of[step], load_b_of_transpose<D>(at, tile, row, step));
  }
};

/// The sums of 16 rows of D columns.
template <int D>
struct RowSums {
  Sums of[D / 8] = {};
  /// Adds a[16, 16] times 16 rows of a tile.
  __device__ void add_product(Place at, Fragment const& a, Bf16 const* tile, int row) {
    for (int step = 0; step < D / inner; ++step)
      multiply_add_two(of + 2 * step, a, load_b<D>(at, tile, row, step));
  }
  /// Assigns factor times the sums to the rows of `out`, which begin `stride` elements apart. Leaves out the
  /// rows from `there` on.
  __device__ void store(Place at, float factor, Index there, float* out, Index stride) const {
    for (int half = 0; half < 2; ++half) {
      const int row = at.row() + 8 * half;
      if (row >= there) continue;
      float* const to = out + row * stride + at.column();
      for (int n = 0; n < D / 8; ++n) {
        to[8 * n] = factor * of[n].of[2 * half];
        to[8 * n + 1] = factor * of[n].of[2 * half + 1];
      }
    }
  }
};

}  // namespace ddproxy::kernels::fused

#endif
