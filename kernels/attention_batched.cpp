// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "kernels/attention.hpp"
#include "kernels/attention_rows.hpp"
#include "kernels/gemm.hpp"

namespace ddproxy::kernels::batched {
namespace {

/// Consecutive queries of all heads of one sequence, and the keys that they see.
struct Tile {
  AttentionSize size;
  Index sequence;
  Index first;
  Index rows;
  float scale;
  Index keys() const { return first + rows; }
  Index offset(Index columns, Index row) const { return (sequence * size.sequence + row) * columns; }
  Index sums() const { return sequence * size.heads * size.sequence + first; }
  TileRows layout() const { return {size.heads, rows, keys(), first}; }
};

/// The operands of a tile's products. `queries` starts at the first row of the tile, and its step leads from
/// one query head to the next. `keys` and `values` start at the first row of the sequence, and their step
/// leads from one key-value head to the next.
struct Operands {
  Matrix queries;
  Matrix keys;
  Matrix values;
};

Matrix of_heads(float const* data, Index stride, Index head_size) {
  return {data, stride, false, head_size};
}

Matrix transpose(Matrix m) {
  m.transposed = !m.transposed;
  return m;
}

Operands operands(Tile const& tile, ConstQkv const& m) {
  const Index d = tile.size.head_size;
  return {of_heads(m.q + tile.offset(m.q_stride, tile.first), m.q_stride, d),
          of_heads(m.k + tile.offset(m.kv_stride, 0), m.kv_stride, d),
          of_heads(m.v + tile.offset(m.kv_stride, 0), m.kv_stride, d)};
}

Matrix scores_matrix(Tile const& tile, float const* scores) {
  return {scores, tile.keys(), false, tile.rows * tile.keys()};
}

Result scores_result(Tile const& tile, float* scores) {
  return {scores, tile.keys(), tile.rows * tile.keys()};
}

/// Returns the operand or result of one batch of products. `all` has a matrix for each query head. With n
/// query heads in a group, the returned operand has the matrices of the query heads `member`, n + member, 2 n
/// + member and so on: one query head of each group. So each matrix of keys or values is used by one product
/// of the batch.
template <class Operand>
Operand of_member(Tile const& tile, Operand all, Index member) {
  all.data += member * all.step;
  all.step *= tile.size.group();
  return all;
}

void forward_tile(Space const& exec, Tile const& tile, ConstQkv const& qkv, float* out, float* log_sum,
                  float* scores) {
  const auto [q, k, v] = operands(tile, qkv);
  const Index c = tile.size.columns();
  const Index d = tile.size.head_size;
  const Matrix p = scores_matrix(tile, scores);
  const Result y{out + tile.offset(c, tile.first), c, d};
  for (Index m = 0; m < tile.size.group(); ++m)
    gemm_strided_batched(exec, tile.size.kv_heads, {tile.rows, tile.keys(), d}, tile.scale,
                         of_member(tile, q, m), transpose(k), 0,
                         of_member(tile, scores_result(tile, scores), m));
  softmax_rows(exec, tile.layout(), scores, log_sum + tile.sums(), tile.size.sequence);
  for (Index m = 0; m < tile.size.group(); ++m)
    gemm_strided_batched(exec, tile.size.kv_heads, {tile.rows, d, tile.keys()}, 1, of_member(tile, p, m), v,
                         0, of_member(tile, y, m));
}

/// The scores of a tile and their gradients: S and dP at first, P and dS after softmax_rows_backward().
struct Scores {
  float* s;
  float* ds;
};

void recompute_scores(Space const& exec, Tile const& tile, AttentionKept const& kept, float const* dout,
                      Scores scores) {
  const auto [q, k, v] = operands(tile, kept.qkv);
  const Index c = tile.size.columns();
  const Index d = tile.size.head_size;
  const Index own = tile.offset(c, tile.first);
  const GemmSize wide{tile.rows, tile.keys(), d};
  const Matrix dy = of_heads(dout + own, c, d);
  for (Index m = 0; m < tile.size.group(); ++m) {
    gemm_strided_batched(exec, tile.size.kv_heads, wide, tile.scale, of_member(tile, q, m), transpose(k), 0,
                         of_member(tile, scores_result(tile, scores.s), m));
    gemm_strided_batched(exec, tile.size.kv_heads, wide, 1, of_member(tile, dy, m), transpose(v), 0,
                         of_member(tile, scores_result(tile, scores.ds), m));
  }
  const RowGradients rows{
      kept.log_sum + tile.sums(), tile.size.sequence, dout + own, kept.out + own, c, d, tile.scale};
  softmax_rows_backward(exec, tile.layout(), rows, scores.s, scores.ds);
}

/// Computes the gradients of one tile. The last tile of a sequence runs first: it sees every key, so its
/// first products assign the gradients of all keys and values. The other products add to them.
void backward_tile(Space const& exec, Tile const& tile, AttentionKept const& kept, float const* dout,
                   Qkv const& dqkv, float* scores) {
  float* const dscores = scores + tile.size.heads * tile.rows * tile.keys();
  recompute_scores(exec, tile, kept, dout, {scores, dscores});
  const auto [q, k, v] = operands(tile, kept.qkv);
  const Index c = tile.size.columns();
  const Index d = tile.size.head_size;
  const GemmSize tall{tile.keys(), d, tile.rows};
  const Matrix dy = of_heads(dout + tile.offset(c, tile.first), c, d);
  const Matrix p = scores_matrix(tile, scores);
  const Matrix ds = scores_matrix(tile, dscores);
  const Result dq{dqkv.q + tile.offset(dqkv.q_stride, tile.first), dqkv.q_stride, d};
  const Result dk{dqkv.k + tile.offset(dqkv.kv_stride, 0), dqkv.kv_stride, d};
  const Result dv{dqkv.v + tile.offset(dqkv.kv_stride, 0), dqkv.kv_stride, d};
  for (Index m = 0; m < tile.size.group(); ++m) {
    const float keep = m == 0 && tile.keys() == tile.size.sequence ? 0 : 1;
    const Matrix ds_m = of_member(tile, ds, m);
    gemm_strided_batched(exec, tile.size.kv_heads, tall, 1, transpose(of_member(tile, p, m)),
                         of_member(tile, dy, m), keep, dv);
    gemm_strided_batched(exec, tile.size.kv_heads, tall, 1, transpose(ds_m), of_member(tile, q, m), keep, dk);
    gemm_strided_batched(exec, tile.size.kv_heads, {tile.rows, d, tile.keys()}, 1, ds_m, k, 0,
                         of_member(tile, dq, m));
  }
}

/// Calls work(tile) for every tile of every sequence. Within a sequence the tile of the last queries comes
/// first.
template <class Work>
void for_each_tile(AttentionSize const& size, Work const& work) {
  const Index last_tile = (size.sequence - 1) / tile_rows * tile_rows;
  const float scale = 1 / std::sqrt(static_cast<float>(size.head_size));
  for (Index b = 0; b < size.batch; ++b)
    for (Index first = last_tile; first >= 0; first -= tile_rows)
      work(Tile{size, b, first, std::min(tile_rows, size.sequence - first), scale});
}

}  // namespace

void attention_forward(Space const& exec, AttentionSize size, ConstQkv const& qkv, float* out, float* log_sum,
                       float* scratch) {
  for_each_tile(size, [&](Tile const& tile) { forward_tile(exec, tile, qkv, out, log_sum, scratch); });
}

void attention_backward(Space const& exec, AttentionSize size, AttentionKept const& kept, float const* dout,
                        Qkv const& dqkv, float* scratch) {
  for_each_tile(size, [&](Tile const& tile) { backward_tile(exec, tile, kept, dout, dqkv, scratch); });
}

}  // namespace ddproxy::kernels::batched
