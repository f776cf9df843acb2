// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/gemm.hpp"
#include "kernels/gemm_tile.hpp"

// The layouts in which a tile of a product reads its operands. Host only.
namespace ddproxy::kernels {

/// Memory for packed operands, one for each thread and purpose; kept, because allocating it costs more than a
/// product.
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

inline constexpr int shared = 0;
inline constexpr int own = 1;

/// Width of the panel of a matrix that starts at column `first`: a full one, or what is left, in whole
/// vectors.
inline Index panel_width(Index columns, Index first) {
  return std::min(tile::columns, (columns - first + tile::lanes - 1) / tile::lanes * tile::lanes);
}

/// Rows of a matrix that is not transposed, from column k on; rows behind the last repeat it, to be left out
/// later.
inline tile::Left rows_of(Matrix const& a, Index first, Index rows, Index k) {
  tile::Left left{{}, 1};
  for (Index r = 0; r < tile::rows; ++r) left.row[r] = a.data + std::min(first + r, rows - 1) * a.stride + k;
  return left;
}

/// A panel of op(B) as [inner, panel_width]; what lies beyond op(B)'s columns is 0.
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

/// Columns [first, last) of `count` rows of a matrix as panels; reads the rows from end to end, as memory
/// likes it.
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

/// Rows of op(A) in groups of tile::rows, each group as [inner, tile::rows], the last one filled up with the
/// last row.
inline void pack_groups(Matrix const& a, Index inner, Index first, Index last, float* out) {
  for (Index i = first; i < last; i += tile::rows, out += inner * tile::rows)
    for (Index k = 0; k < inner; ++k)
      for (Index r = 0; r < tile::rows; ++r)
        out[k * tile::rows + r] = a.data[k * a.stride + std::min(i + r, last - 1)];
}

}  // namespace ddproxy::kernels
