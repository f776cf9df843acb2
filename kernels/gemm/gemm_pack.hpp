// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/gemm/gemm.hpp"
#include "kernels/gemm/gemm_tile.hpp"

// The layouts in which a tile of a product reads its operands: panels of columns of op(B), and groups of rows
// of op(A). For hosts only.
namespace ddproxy::kernels {

/// Returns memory for `count` elements of packed operands or of a block of the result, aligned to 64 bytes.
/// Each thread has one buffer for each purpose. The pointer is valid until the same thread asks for a larger
/// buffer of the same purpose. The memory is kept until the thread ends, because allocating it takes longer
/// than a product.
template <int purpose>
float* buffer(Index count) {
  struct alignas(64) Line {
    float values[16];
  };
  thread_local std::vector<Line> lines;
  const auto needed = static_cast<std::size_t>(count / 16 + 1);
  if (lines.size() < needed) lines.resize(needed);
  return lines.front().values;
}

inline constexpr int shared = 0;  ///< purpose: packed by all threads, read by all threads
inline constexpr int own = 1;     ///< purpose: written and read by the same thread

/// Returns the width of the panel that starts at column `first` of a matrix: tile::columns, or the remaining
/// columns rounded up to whole vectors.
inline Index panel_width(Index columns, Index first) {
  return std::min(tile::columns, (columns - first + tile::lanes - 1) / tile::lanes * tile::lanes);
}

/// Returns tile::rows rows of a matrix that is not transposed, from row `first` and column k on, as a left
/// operand. The matrix has `rows` rows. If it ends before the tile does, its last row is repeated; the caller
/// ignores the repeated rows.
inline tile::Left rows_of(Matrix const& a, Index first, Index rows, Index k) {
  tile::Left left{{}, 1};
  for (Index r = 0; r < tile::rows; ++r) left.row[r] = a.data + std::min(first + r, rows - 1) * a.stride + k;
  return left;
}

/// Packs the panel of op(B) that starts at column `first` into `out`, as [inner, panel_width]. Fills columns
/// beyond those of op(B) with 0.
inline void pack_panel(Matrix const& b, Index inner, Index columns, Index first, float* out) {
  const Index width = panel_width(columns, first);
  const Index valid = std::min(width, columns - first);
  const Index row = b.transposed ? 1 : b.stride;
  const Index column = b.transposed ? b.stride : 1;
  for (Index i = 0; i < inner; ++i) {
    for (Index j = 0; j < valid; ++j) out[i * width + j] = b.data[i * row + (first + j) * column];
    for (Index j = valid; j < width; ++j) out[i * width + j] = 0;
  }
}

/// Packs columns [first, last) of `count` rows of a matrix, from row k on, into consecutive panels, each as
/// [count, panel_width]. Fills columns beyond `last` with 0. Reads each row from end to end, which is the
/// fastest order for memory.
inline void pack_rows(Matrix const& b, Index first, Index last, Index k, Index count, float* out) {
  for (Index i = 0; i < count; ++i) {
    float const* const in = b.data + (k + i) * b.stride;
    for (Index j = first; j < last; j += tile::columns) {
      const Index width = panel_width(last, j);
      float* const to = out + (j - first) * count + i * width;
      std::copy(in + j, in + std::min(last, j + width), to);
      std::fill(to + std::min(width, last - j), to + width, 0.0F);
    }
  }
}

/// Packs rows [first, last) of A^T into groups of tile::rows rows, each as [inner, tile::rows]. Fills the
/// last group with copies of the last row.
inline void pack_groups(Matrix const& a, Index inner, Index first, Index last, float* out) {
  for (Index i = first; i < last; i += tile::rows, out += inner * tile::rows)
    for (Index k = 0; k < inner; ++k)
      for (Index r = 0; r < tile::rows; ++r)
        out[k * tile::rows + r] = a.data[k * a.stride + std::min(i + r, last - 1)];
}

}  // namespace ddproxy::kernels
