// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/attention_heads.hpp"
#include "kernels/gemm_pack.hpp"

// The matrix products of a tile of attention on one thread: of one head, consecutive queries and the keys
// they see. Scores are kept as [keys, tile_queries], each key's beside one another, so that keys and values
// are read as they are in memory, and sums over keys are sums of vectors. What a query does not see is left
// out by whole tiles of the product; where such a tile is cut by the diagonal its scores are computed and
// mean nothing.
namespace ddproxy::kernels::heads {

struct Tile {
  Index first;      ///< query
  Index queries;    ///< at most tile_queries
  Index head_size;  ///< D
  Index keys() const { return first + queries; }
  /// Of the scores: queries, and what fills the last vector.
  Index width() const { return (queries + tile::lanes - 1) / tile::lanes * tile::lanes; }
  /// The first query, counted from the tile's first, that sees a key.
  Index begin(Index key) const { return std::max<Index>(0, key - first); }
};

/// Rows of D elements of one head.
struct Rows {
  float* data;
  Index stride;
};

/// Packs the transpose of `rows` [queries, D]: [D, queries] in panels.
inline void pack_transposed(Rows rows, Index queries, Index head_size, float* out) {
  for (Index j = 0; j < queries; j += tile::columns)
    pack_panel({rows.data, rows.stride, true}, head_size, queries, j, out + head_size * j);
}

/// scores[k, q] = keys [k, :] . queries [q, :], these packed by pack_transposed; or values . gradients.
inline void multiply_transposed(Tile const& t, Rows keys, float const* queries, float* scores) {
  for (Index k = 0; k < t.keys(); k += tile::rows) {
    const auto left = rows_of({keys.data, keys.stride}, k, t.keys(), 0);
    const Index rows = std::min<Index>(tile::rows, t.keys() - k);
    for (Index j = t.begin(k) / tile::columns * tile::columns; j < t.queries; j += tile::columns) {
      const Index width = panel_width(t.queries, j);
      tile::multiply(width / tile::lanes, t.head_size, left, {queries + t.head_size * j, width},
                     {scores + k * tile_queries + j, tile_queries, rows, width, tile::Write::assign});
    }
  }
}

/// out[k, :] = or += sum over queries q of scores[k, q] rows[q, :].
inline void sum_over_queries(Tile const& t, float const* scores, Rows rows, tile::Write write, Rows out) {
  for (Index k = 0; k < t.keys(); k += tile::rows) {
    const Index begin = t.begin(k);
    const auto left = rows_of({scores, tile_queries}, k, t.keys(), begin);
    for (Index j = 0; j < t.head_size; j += tile::columns) {
      const Index width = panel_width(t.head_size, j);
      tile::multiply(width / tile::lanes, t.queries - begin, left,
                     {rows.data + begin * rows.stride + j, rows.stride},
                     {out.data + k * out.stride + j, out.stride, std::min<Index>(tile::rows, t.keys() - k),
                      std::min(width, t.head_size - j), write});
    }
  }
}

/// Scores of a group of queries from q on, key after key; queries behind the last repeat it, to be left out
/// later.
inline tile::Left transposed(float const* scores, Index q, Index queries) {
  tile::Left left{{}, tile_queries};
  for (Index r = 0; r < tile::rows; ++r) left.row[r] = scores + std::min(q + r, queries - 1);
  return left;
}

/// out[q, :] = sum over the keys k that q sees of scores[k, q] rows[k, :].
inline void sum_over_keys(Tile const& t, float const* scores, Rows rows, Rows out) {
  constexpr Index keys_at_once = 128;  // whose scores and rows stay in a first-level cache
  for (Index k = 0; k < t.keys(); k += keys_at_once)
    for (Index q = t.begin(k) / tile::rows * tile::rows; q < t.queries; q += tile::rows) {
      const Index count = std::min({keys_at_once, t.keys() - k, t.first + q + tile::rows - k});
      const auto left = transposed(scores + k * tile_queries, q, t.queries);
      for (Index j = 0; j < t.head_size; j += tile::columns) {
        const Index width = panel_width(t.head_size, j);
        tile::multiply(width / tile::lanes, count, left, {rows.data + k * rows.stride + j, rows.stride},
                       {out.data + q * out.stride + j, out.stride, std::min<Index>(tile::rows, t.queries - q),
                        std::min(width, t.head_size - j), k > 0 ? tile::Write::add : tile::Write::assign});
      }
    }
}

}  // namespace ddproxy::kernels::heads
