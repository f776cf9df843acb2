// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/gemm/gemm.hpp"

namespace ddproxy::kernels {
namespace {

// Each work item computes one tile of C, [tile_rows, tile_columns], in registers.
constexpr int tile_rows = 4;
constexpr int tile_columns = 16;

/// An operand with its transposition resolved: element (i, j) is data[i * row + j * column].
struct Strided {
  float const* data;
  Index row;
  Index column;
};

Strided resolve(Matrix const& m) {
  return m.transposed ? Strided{m.data, 1, m.stride} : Strided{m.data, m.stride, 1};
}

struct PlainGemm {
  GemmSize size;
  Strided a;
  Strided b;
  Result c;
  Index a_step;
  Index b_step;
  Index tiles_of_row;
  Index tiles;  ///< number of tiles of one matrix C
  float alpha;
  float beta;

  KOKKOS_FUNCTION void operator()(Index item) const {
    const Index matrix = item / tiles;
    const Index tile = item % tiles;
    const Index i0 = tile / tiles_of_row * tile_rows;
    const Index j0 = tile % tiles_of_row * tile_columns;
    const int rows = static_cast<int>(Kokkos::min<Index>(tile_rows, size.rows - i0));
    const int columns = static_cast<int>(Kokkos::min<Index>(tile_columns, size.columns - j0));
    float sum[tile_rows][tile_columns] = {};
    accumulate(a.data + matrix * a_step + i0 * a.row, b.data + matrix * b_step + j0 * b.column, rows, columns,
               sum);
    store(c.data + matrix * c.step + i0 * c.stride + j0, rows, columns, sum);
  }

  KOKKOS_FUNCTION void accumulate(float const* a_tile, float const* b_tile, int rows, int columns,
                                  float (&sum)[tile_rows][tile_columns]) const {
    for (Index k = 0; k < size.inner; ++k)
      for (int i = 0; i < rows; ++i) {
        const float left = a_tile[i * a.row + k * a.column];
        for (int j = 0; j < columns; ++j) sum[i][j] += left * b_tile[k * b.row + j * b.column];
      }
  }

  KOKKOS_FUNCTION void store(float* out, int rows, int columns,
                             float const (&sum)[tile_rows][tile_columns]) const {
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) {
        float& element = out[i * c.stride + j];
        // with beta = 0 the element must not be read: it may be NaN
        element = beta == 0 ? alpha * sum[i][j] : alpha * sum[i][j] + beta * element;
      }
  }
};

}  // namespace

void gemm_plain(Space const& exec, Index count, GemmSize size, float alpha, Matrix a, Matrix b, float beta,
                Result c) {
  const Index tiles_of_row = (size.columns + tile_columns - 1) / tile_columns;
  const Index tiles = tiles_of_row * ((size.rows + tile_rows - 1) / tile_rows);
  const PlainGemm product{size, resolve(a), resolve(b), c, a.step, b.step, tiles_of_row, tiles, alpha, beta};
  Kokkos::parallel_for("gemm_plain", Range(exec, 0, count * tiles), product);
}

}  // namespace ddproxy::kernels
