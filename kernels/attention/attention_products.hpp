// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "kernels/gemm/gemm_pack.hpp"
#include "kernels/sizes/scratch.hpp"

// The matrix products of one tile of attention, on one thread. A tile consists of consecutive queries of one
// head, with the keys that these queries see. Scores are stored as [keys, tile_queries]: the scores of one
// key lie side by side. So keys and values are read in the order in which memory holds them, and sums over
// keys are sums of vectors. tile::multiply() (kernels/gemm/gemm_tile.hpp) computes a product in parts, called
// product tiles here. Product tiles that lie wholly beyond the causal diagonal are skipped. Product tiles
// that the diagonal cuts are computed in full. Their scores for keys that a query does not see are
// meaningless; the caller replaces them by 0.
namespace ddproxy::kernels::heads {

/// Consecutive queries of one head, and the keys that they see: keys 0 to first + queries - 1.
struct Tile {
  Index first;      ///< position of the first query in its sequence
  Index queries;    ///< number of queries, at most tile_queries
  Index head_size;  ///< D
  Index keys() const { return first + queries; }
  /// Returns the number of queries, rounded up to whole vectors. A row of scores uses this many elements.
  Index width() const { return (queries + tile::lanes - 1) / tile::lanes * tile::lanes; }
  /// Returns the first query that sees `key`, counted from the first query of the tile.
  Index begin(Index key) const { return std::max<Index>(0, key - first); }
};

/// Rows of D elements of one head, `stride` elements apart. Does not own the memory.
struct Rows {
  float* data;
  Index stride;
};

/// Packs the transpose of `rows` [queries, D] into `out`, as [D, queries] in panels of columns.
inline void pack_transposed(Rows rows, Index queries, Index head_size, float* out) {
  for (Index j = 0; j < queries; j += tile::columns)
    pack_panel({rows.data, rows.stride, true}, head_size, queries, j, out + head_size * j);
}

/// Assigns scores[k, q] = sum over d of keys[k, d] queries[q, d]. `queries` was packed by pack_transposed().
/// With values in place of keys and dout in place of queries the result is dP, the gradient of the
/// probabilities.
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

/// Computes out[k, :] = sum over q of scores[k, q] rows[q, :], where q runs over the queries that see key k.
/// `write` says whether the sum is assigned or added.
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

/// Returns the scores of the tile::rows queries from `q` on as a left operand. The member `step`
/// of the operand is the distance between the scores of one key and those of the next. If there are fewer
/// queries, the last query is repeated; the caller ignores the repeated rows.
inline tile::Left transposed(float const* scores, Index q, Index queries) {
  tile::Left left{{}, tile_queries};
  for (Index r = 0; r < tile::rows; ++r) left.row[r] = scores + std::min(q + r, queries - 1);
  return left;
}

/// Assigns out[q, :] = sum over k of scores[k, q] rows[k, :], where k runs over the keys that query q sees.
inline void sum_over_keys(Tile const& t, float const* scores, Rows rows, Rows out) {
  constexpr Index keys_at_once = 128;  // their scores and rows stay in the first two levels of cache
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
