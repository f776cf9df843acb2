// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/attention/fused_copies.hpp"
#include "kernels/attention/tensor_cores.hpp"

// Tiles in shared memory, and the products of one warp, for the fused attention. A team has four warps. A
// tile has `rows` rows of D bf16 numbers. A row is stored in vectors of 16 bytes, which are eight numbers.
// Vector v of row r is stored at place v XOR (r mod 8) of the row. So the eight rows of a matrix of
// 8 x 8 numbers, which are loaded together, lie in different banks of shared memory.
#if defined(KOKKOS_ENABLE_CUDA)

namespace ddproxy::kernels::fused {

inline constexpr int warps = 4, lanes = 32;
inline constexpr int rows_of_warp = 16;  ///< rows of a fragment A
inline constexpr int rows_of_team = warps * rows_of_warp;
/// Columns of a fragment A. Products with two fragments B give as many columns.
inline constexpr int inner = 16;
inline constexpr unsigned bytes_of_bf16 = sizeof(Bf16);

/// Returns the number of tiles of a sequence. A team works on one tile of queries or keys.
KOKKOS_INLINE_FUNCTION Index tiles_of(AttentionSize const& size) {
  return (size.sequence + rows_of_team - 1) / rows_of_team;
}

/// The place of the calling thread in its team, and in the tiles from which it loads fragments.
///
/// For the fragment that begins at row `row` and column 16 `step` of a tile, a lane loads from the address
///   ((tile + offset) XOR 32 step) + the bytes of `row` rows,
/// where offset is `along` or `across`. 16 columns are two vectors of 16 bytes. The place of a vector is its
/// number XOR (r mod 8). So a move by 16 `step` columns is an XOR, not an addition. The XOR changes no bit of
/// the tile's address, because tiles are aligned to 256 bytes. `row` is a multiple of 16, so it does not
/// change r mod 8 or the place of a vector.
template <int D>
struct Place {
  unsigned warp, lane;
  /// Offset in bytes for a fragment A, and for a fragment B whose columns are columns of the tile.
  unsigned along;
  /// Offset in bytes for a fragment B whose columns are rows of the tile.
  unsigned across;

  __device__ Place(unsigned warp_of_team, unsigned lane_of_thread)
      : warp(warp_of_team),
        lane(lane_of_thread),
        along(offset(lane & 15U, lane >> 4U)),
        across(offset((lane & 7U) + (lane >> 4U) * 8, lane >> 3U & 1U)) {}
  __device__ int thread() const { return static_cast<int>(warp * lanes + lane); }
  /// row() and column() return the first row and the first column of this lane in fragments A and C.
  __device__ int row() const { return static_cast<int>(lane >> 2U); }
  __device__ int column() const { return static_cast<int>(2 * (lane & 3U)); }
  /// Returns the first row of this warp in the team's tile.
  __device__ int rows_before() const { return static_cast<int>(warp) * rows_of_warp; }

 private:
  __device__ static unsigned offset(unsigned row, unsigned number) {
    return (row * D + (number ^ (row & 7U)) * numbers_of_vector) * bytes_of_bf16;
  }
};

/// Returns the address from which a lane loads, by the equation of Place. `tile` is the tile's address plus
/// the lane's offset.
template <int D>
__device__ unsigned address_in(unsigned tile, int row, int step) {
  return (tile ^ static_cast<unsigned>(inner * step) * bytes_of_bf16) +
         static_cast<unsigned>(row) * D * bytes_of_bf16;
}

/// Begins to copy `rows` rows of D numbers into a tile. Only the first `there` rows exist; the others become
/// zero. The threads of the team copy (number of threads) / (vectors of a row) rows at once, one vector each.
/// A thread copies the vector with the same number in each of its rows.
template <int D, int rows>
__device__ void copy_tile(Place<D> const& at, Bf16 const* from, Index there, Bf16* tile) {
  constexpr int vectors = D / numbers_of_vector, rows_at_once = warps * lanes / vectors;
  static_assert(rows % rows_at_once == 0 && rows_at_once % 8 == 0);
  const int first = at.thread() / vectors, number = at.thread() % vectors;
  const int end = static_cast<int>(Kokkos::min(there, Index{rows}));
  Bf16 const* const source = from + first * D + number * numbers_of_vector;
  Bf16* const target = tile + first * D + (number ^ (first & 7)) * numbers_of_vector;
#pragma unroll
  for (int row = 0; row < rows; row += rows_at_once) {
    const bool exists = first + row < end;
    copy_16_bytes(target + row * D, exists ? source + row * D : from, exists);
  }
}

/// Begins to copy the QueryRows of `rows` queries. Only the first `there` exist; the others become zero.
template <int rows, int D>
__device__ void copy_query_rows(Place<D> const& at, QueryRow const* from, Index there, QueryRow* to) {
  const int row = at.thread();
  if (row >= rows) return;
  copy_8_bytes(to + row, row < there ? from + row : from, row < there);
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

  /// Loads the rows `row` to row + 15 of a tile.
  __device__ void load(Place<D> const& at, Bf16 const* tile, int row) {
    const unsigned from = shared_address(tile) + at.along;
    for (int step = 0; step < D / inner; ++step) of[step] = load_matrices(address_in<D>(from, row, step));
  }
  /// Computes C += A R^T for two neighbouring fragments, c[0] and c[1]. A is this object. R is the rows `row`
  /// to row + 15 of a tile. `tile` is the tile's address plus Place::across.
  __device__ void multiply_transposed(unsigned tile, int row, Sums* c) const {
    for (int step = 0; step < D / inner; ++step)
      multiply_add_two(c, of[step], load_matrices(address_in<D>(tile, row, step)));
  }
};

/// The fragments C of a result of 16 rows and D columns.
template <int D>
struct RowSums {
  Sums of[D / 8] = {};

  /// Adds a[16, 16] times the rows `row` to row + 15 of a tile. `tile` is the tile's address plus
  /// Place::along.
  __device__ void add_product(Fragment const& a, unsigned tile, int row) {
    for (int step = 0; step < D / inner; ++step)
      multiply_add_two(of + 2 * step, a, load_matrices_transposed(address_in<D>(tile, row, step)));
  }
  /// Assigns factor times the sums to the rows of `out`, which begin `stride` elements apart. Stores only
  /// the first `there` rows.
  __device__ void store(Place<D> const& at, float factor, Index there, float* out, Index stride) const {
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
