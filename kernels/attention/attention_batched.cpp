// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "kernels/attention/attention.hpp"
#include "kernels/attention/attention_lists.hpp"
#include "kernels/attention/attention_rows.hpp"
#include "kernels/attention/sequence_groups.hpp"
#include "kernels/gemm/gemm.hpp"

// Attention by batches of matrix products. A batch has products of the heads of several sequences, because a
// device needs many products to be busy. The queries of these heads are cut into tiles of consecutive
// queries. A tile needs only the keys up to its last query, and memory holds the scores of one tile at a
// time.
namespace ddproxy::kernels::batched {
namespace {

/// Consecutive queries of all heads of several sequences, and the keys that they see.
struct Tile {
  AttentionSize size;  ///< size.batch: number of sequences of the tile
  Index number;
  Index first;
  Index rows;
  float scale;
  Index keys() const { return first + rows; }
  Index heads() const { return size.batch * size.heads; }
  TileRows layout() const { return {heads(), rows, keys(), first}; }
};

MatrixList transpose(MatrixList m) {
  m.transposed = !m.transposed;
  return m;
}

/// The batches of products of one tile. The query heads that share keys and values form a group. A batch has
/// the products of all query heads, or of one query head of each group.
struct Products {
  Space const& exec;
  Tile const& tile;
  PointerLists const& lists;

  Index heads_of_member() const { return tile.size.batch * tile.size.kv_heads; }
  MatrixList matrices(Operand operand, Index member = 0) const {
    return {lists.of(operand, tile.number) + member * heads_of_member(), lists.stride(operand, tile.keys())};
  }
  ResultList results(Operand operand, Index member = 0) const {
    return {lists.of(operand, tile.number) + member * heads_of_member(), lists.stride(operand, tile.keys())};
  }
  void of_all(GemmSize size, float alpha, MatrixList a, MatrixList b, ResultList c) const {
    gemm_batched(exec, tile.heads(), size, alpha, a, b, 0, c);
  }
  // The query heads of a group add to the same gradients, so one batch after another computes them: batch m
  // has query head m of each group.
  void of_members(GemmSize size, Operand scores, Operand b, Operand c) const {
    const bool assigns = tile.keys() == tile.size.sequence;
    for (Index m = 0; m < tile.size.group(); ++m)
      gemm_batched(exec, heads_of_member(), size, 1, transpose(matrices(scores, m)), matrices(b, m),
                   m == 0 && assigns ? 0 : 1, results(c, m));
  }
};

void forward_tile(Products const& products, float* log_sum, float* scores) {
  auto const& tile = products.tile;
  const Index d = tile.size.head_size;
  products.of_all({tile.rows, tile.keys(), d}, tile.scale, products.matrices(Operand::q),
                  transpose(products.matrices(Operand::k)), products.results(Operand::scores));
  softmax_rows(products.exec, tile.layout(), scores, log_sum + tile.first, tile.size.sequence);
  products.of_all({tile.rows, d, tile.keys()}, 1, products.matrices(Operand::scores),
                  products.matrices(Operand::v), products.results(Operand::out));
}

/// Computes the gradients of one tile. The arrays of `rows` begin at the first query of the tile. The last
/// tile of the sequences runs first. It sees every key, so its first products assign the gradients of all
/// keys and values. The other products add to them.
void backward_tile(Products const& products, RowGradients const& rows, float* scores, float* dscores) {
  auto const& tile = products.tile;
  const Index d = tile.size.head_size;
  const GemmSize wide{tile.rows, tile.keys(), d}, tall{tile.keys(), d, tile.rows};
  products.of_all(wide, tile.scale, products.matrices(Operand::q), transpose(products.matrices(Operand::k)),
                  products.results(Operand::scores));
  products.of_all(wide, 1, products.matrices(Operand::dout), transpose(products.matrices(Operand::v)),
                  products.results(Operand::dscores));
  softmax_rows_backward(products.exec, tile.layout(), rows, scores, dscores);
  products.of_members(tall, Operand::scores, Operand::dout, Operand::dv);
  products.of_members(tall, Operand::dscores, Operand::q, Operand::dk);
  products.of_all({tile.rows, d, tile.keys()}, 1, products.matrices(Operand::dscores),
                  products.matrices(Operand::k), products.results(Operand::dq));
}

/// Calls work(tile) for every tile of the sequences of `size`. The tile of the last queries comes first.
template <class Work>
void for_each_tile(AttentionSize const& size, Work const& work) {
  const float scale = 1 / std::sqrt(static_cast<float>(size.head_size));
  for (Index number = tiles_of(size) - 1; number >= 0; --number) {
    const Index first = number * tile_rows;
    work(Tile{size, number, first, std::min(tile_rows, size.sequence - first), scale});
  }
}

float* lists_in(float* scratch, AttentionSize const& size) {
  return scratch + 2 * scores_elements(size);
}

/// Returns the number of elements before sequence `first` in an array with `stride` elements for each token.
Index before(AttentionSize const& size, Index first, Index stride) {
  return first * size.sequence * stride;
}

void set_inputs(PointerLists& lists, AttentionSize const& size, ConstQkv const& qkv, Index first) {
  const Index of_keys = before(size, first, qkv.kv_stride);
  lists.set_queries(Operand::q, qkv.q + before(size, first, qkv.q_stride), qkv.q_stride);
  lists.set_keys(Operand::k, qkv.k + of_keys, qkv.kv_stride);
  lists.set_keys(Operand::v, qkv.v + of_keys, qkv.kv_stride);
}

void set_gradients(PointerLists& lists, AttentionSize const& size, Qkv const& dqkv, Index first) {
  const Index of_keys = before(size, first, dqkv.kv_stride);
  lists.set_queries(Operand::dq, dqkv.q + before(size, first, dqkv.q_stride), dqkv.q_stride);
  lists.set_keys(Operand::dk, dqkv.k + of_keys, dqkv.kv_stride);
  lists.set_keys(Operand::dv, dqkv.v + of_keys, dqkv.kv_stride);
}

}  // namespace

void attention_forward(Space const& exec, AttentionSize all, ConstQkv const& qkv, float* out, float* log_sum,
                       float* scratch) {
  for_each_group(all, [&](Index first, AttentionSize const& size) {
    PointerLists lists(size, lists_in(scratch, all));
    set_inputs(lists, size, qkv, first);
    lists.set_queries(Operand::out, out + before(size, first, size.columns()), size.columns());
    lists.set_scores(Operand::scores, scratch);
    lists.write(exec);
    float* const sums = log_sum + first * size.heads * size.sequence;
    for_each_tile(size, [&](Tile const& tile) { forward_tile({exec, tile, lists}, sums, scratch); });
  });
}

void attention_backward(Space const& exec, AttentionSize all, AttentionKept const& kept, float const* dout,
                        Qkv const& dqkv, float* scratch) {
  float* const dscores = scratch + scores_elements(all);
  for_each_group(all, [&](Index first, AttentionSize const& size) {
    PointerLists lists(size, lists_in(scratch, all));
    const Index c = size.columns(), own = before(size, first, c);
    set_inputs(lists, size, kept.qkv, first);
    lists.set_queries(Operand::dout, dout + own, c);
    set_gradients(lists, size, dqkv, first);
    lists.set_scores(Operand::scores, scratch);
    lists.set_scores(Operand::dscores, dscores);
    lists.write(exec);
    float const* const sums = kept.log_sum + first * size.heads * size.sequence;
    for_each_tile(size, [&](Tile const& tile) {
      const Index start = own + tile.first * c;
      const RowGradients rows{sums + tile.first, size.sequence, dout + start,      kept.out + start, c,
                              size.head_size,    size.heads,    size.sequence * c, tile.scale};
      backward_tile({exec, tile, lists}, rows, scratch, dscores);
    });
  });
}

}  // namespace ddproxy::kernels::batched
