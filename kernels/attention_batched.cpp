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

/// The operands of a tile's products. `queries` starts at the first row of the tile; `keys` and `values`
/// start at the first row of the sequence.
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

Operands operands(Tile const& tile, float const* qkv) {
  const Index c = tile.size.columns();
  const Index d = tile.size.head_size;
  return {of_heads(qkv + tile.offset(3 * c, tile.first), 3 * c, d),
          of_heads(qkv + c + tile.offset(3 * c, 0), 3 * c, d),
          of_heads(qkv + 2 * c + tile.offset(3 * c, 0), 3 * c, d)};
}

Matrix scores_matrix(Tile const& tile, float const* scores) {
  return {scores, tile.keys(), false, tile.rows * tile.keys()};
}

Result scores_result(Tile const& tile, float* scores) {
  return {scores, tile.keys(), tile.rows * tile.keys()};
}

void forward_tile(Space const& exec, Tile const& tile, float const* qkv, float* out, float* log_sum,
                  float* scores) {
  const auto [q, k, v] = operands(tile, qkv);
  const Index c = tile.size.columns();
  const Index d = tile.size.head_size;
  gemm_strided_batched(exec, tile.size.heads, {tile.rows, tile.keys(), d}, tile.scale, q, transpose(k), 0,
                       scores_result(tile, scores));
  softmax_rows(exec, tile.layout(), scores, log_sum + tile.sums(), tile.size.sequence);
  gemm_strided_batched(exec, tile.size.heads, {tile.rows, d, tile.keys()}, 1, scores_matrix(tile, scores), v,
                       0, {out + tile.offset(c, tile.first), c, d});
}

/// Computes the gradients of one tile. The last tile of a sequence runs first: it sees every key, so it
/// assigns the gradients of all keys and values. The other tiles add to them.
void backward_tile(Space const& exec, Tile const& tile, AttentionForward const& kept, float const* dout,
                   float* dqkv, float* scores) {
  const auto [q, k, v] = operands(tile, kept.qkv);
  const Index c = tile.size.columns();
  const Index d = tile.size.head_size;
  const Index own = tile.offset(c, tile.first);
  const Matrix dy = of_heads(dout + own, c, d);
  const float keep = tile.keys() == tile.size.sequence ? 0 : 1;
  float* const dscores = scores + tile.size.heads * tile.rows * tile.keys();
  const GemmSize wide{tile.rows, tile.keys(), d};
  gemm_strided_batched(exec, tile.size.heads, wide, tile.scale, q, transpose(k), 0,
                       scores_result(tile, scores));
  gemm_strided_batched(exec, tile.size.heads, wide, 1, dy, transpose(v), 0, scores_result(tile, dscores));
  const RowGradients rows{
      kept.log_sum + tile.sums(), tile.size.sequence, dout + own, kept.out + own, c, d, tile.scale};
  softmax_rows_backward(exec, tile.layout(), rows, scores, dscores);
  const Matrix p = scores_matrix(tile, scores);
  const Matrix ds = scores_matrix(tile, dscores);
  const GemmSize tall{tile.keys(), d, tile.rows};
  float* const of_keys = dqkv + tile.offset(3 * c, 0);
  gemm_strided_batched(exec, tile.size.heads, tall, 1, transpose(p), dy, keep, {of_keys + 2 * c, 3 * c, d});
  gemm_strided_batched(exec, tile.size.heads, tall, 1, transpose(ds), q, keep, {of_keys + c, 3 * c, d});
  gemm_strided_batched(exec, tile.size.heads, {tile.rows, d, tile.keys()}, 1, ds, k, 0,
                       {dqkv + tile.offset(3 * c, tile.first), 3 * c, d});
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

void attention_forward(Space const& exec, AttentionSize size, float const* qkv, float* out, float* log_sum,
                       float* scratch) {
  for_each_tile(size, [&](Tile const& tile) { forward_tile(exec, tile, qkv, out, log_sum, scratch); });
}

void attention_backward(Space const& exec, AttentionSize size, AttentionForward kept, float const* dout,
                        float* dqkv, float* scratch) {
  for_each_tile(size, [&](Tile const& tile) { backward_tile(exec, tile, kept, dout, dqkv, scratch); });
}

}  // namespace ddproxy::kernels::batched
