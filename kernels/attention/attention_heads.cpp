// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <utility>

#include "kernels/attention/attention.hpp"
#include "kernels/attention/attention_products.hpp"
#include "kernels/base/power_of_two.hpp"

namespace ddproxy::kernels::heads {
namespace {

/// One value for each query of a tile.
using Queries = float[tile_queries];

/// Scratch memory of one thread. The rows of one head are copied here so that they lie side by side. In the
/// arrays of all heads each row lies in a memory page of its own, and a processor holds the addresses of few
/// pages (TLB entries) at a time.
struct Scratch {
  Rows keys;          ///< [T, D]
  Rows values;        ///< [T, D]
  Rows dkeys;         ///< [T, D]
  Rows dvalues;       ///< [T, D]
  Rows queries;       ///< [tile_queries, D]
  Rows dout;          ///< [tile_queries, D]
  float* scores;      ///< [T, tile_queries]
  float* dscores;     ///< [T, tile_queries]
  float* transposed;  ///< [D, tile_queries]: first the transposed queries, later the transposed dout
};

static_assert(widest_vector % tile::lanes == 0);

Scratch divide(AttentionSize size, float* memory) {
  const Index width = padded(size.head_size);
  const auto take = [&memory](Index count) { return std::exchange(memory, memory + count); };
  const auto take_rows = [&](Index rows) { return Rows{take(rows * width), width}; };
  const Index t = size.sequence;
  return {take_rows(t),
          take_rows(t),
          take_rows(t),
          take_rows(t),
          take_rows(tile_queries),
          take_rows(tile_queries),
          take(t * tile_queries),
          take(t * tile_queries),
          take(size.head_size * tile_queries)};
}

/// Copies `count` rows of head_size elements. If a row of `to` is wider, the elements behind head_size become
/// 0.
void copy(float const* from, Index stride, Index count, Index head_size, Rows to) {
  for (Index i = 0; i < count; ++i) {
    std::copy_n(from + i * stride, head_size, to.data + i * to.stride);
    std::fill_n(to.data + i * to.stride + head_size, to.stride - head_size, 0.0F);
  }
}

/// One query head of one sequence. queries(), keys() and values() return pointers to the row of a token of
/// this head in the arrays of all heads. out() and sums() return the index of the token's first element in
/// the outputs and in log_sum.
struct Head {
  AttentionSize size;
  Index sequence;
  Index head;
  template <class Float>
  Float* queries(BasicQkv<Float> const& m, Index token) const {
    return m.q + row(token) * m.q_stride + head * size.head_size;
  }
  template <class Float>
  Float* keys(BasicQkv<Float> const& m, Index token) const {
    return m.k + row(token) * m.kv_stride + kv_head() * size.head_size;
  }
  template <class Float>
  Float* values(BasicQkv<Float> const& m, Index token) const {
    return m.v + row(token) * m.kv_stride + kv_head() * size.head_size;
  }
  Index kv_head() const { return head / size.group(); }
  bool is_first_of_group() const { return head % size.group() == 0; }
  bool is_last_of_group() const { return (head + 1) % size.group() == 0; }
  Index out(Index token) const { return row(token) * size.columns() + head * size.head_size; }
  Index sums(Index token) const { return (sequence * size.heads + head) * size.sequence + token; }
  Index row(Index token) const { return sequence * size.sequence + token; }
  float scale() const { return 1 / std::sqrt(static_cast<float>(size.head_size)); }
};

/// Replaces the scores of a tile by exp(scale (score - largest)), or by 0 if a query does not see the key.
/// Assigns the largest score of each query and the sum of the exponentials of each query.
void exponentials(Tile const& t, float scale, float* scores, Queries& largest, Queries& sum) {
  std::copy_n(scores, tile_queries, largest);
  for (Index k = 1; k < t.keys(); ++k)
    for (Index q = t.begin(k); q < t.width(); ++q)
      largest[q] = std::max(largest[q], scores[k * tile_queries + q]);
  std::fill_n(sum, tile_queries, 0.0F);
  for (Index k = 0; k < t.keys(); ++k) {
    float* const row = scores + k * tile_queries;
    std::fill_n(row, t.begin(k), 0.0F);
    for (Index q = t.begin(k); q < t.width(); ++q) {
      row[q] = power_of_two(log2_of_e * scale * (row[q] - largest[q]));
      sum[q] += row[q];
    }
  }
}

void forward_tile(Head const& head, Tile const& t, ConstQkv const& in, float* out, float* log_sum,
                  Scratch const& s) {
  const Index c = head.size.columns();
  copy(head.queries(in, t.first), in.q_stride, t.queries, t.head_size, s.queries);
  pack_transposed(s.queries, t.queries, t.head_size, s.transposed);
  multiply_transposed(t, s.keys, s.transposed, s.scores);
  Queries largest, sum;
  exponentials(t, head.scale(), s.scores, largest, sum);
  const Rows to{out + head.out(t.first), c};
  sum_over_keys(t, s.scores, s.values, to);
  for (Index q = 0; q < t.queries; ++q) {
    log_sum[head.sums(t.first + q)] = head.scale() * largest[q] + std::log(sum[q]);
    for (Index d = 0; d < t.head_size; ++d) to.data[q * c + d] /= sum[q];
  }
}

/// Assigns inner[q] = sum over d of dout[q, d] out[q, d]. With P and dP of gradients() below, it equals the
/// sum over the keys of dP P.
void inner_products(Tile const& t, Rows dout, float const* out, Index stride, Queries& inner) {
  std::fill_n(inner, tile_queries, 0.0F);
  for (Index q = 0; q < t.queries; ++q)
    for (Index d = 0; d < t.head_size; ++d) inner[q] += dout.data[q * dout.stride + d] * out[q * stride + d];
}

/// Replaces the scores S of a tile by P = exp(scale S - log_sum). Replaces dP in `dscores` by the gradient of
/// S, which is scale P (dP - inner). Both become 0 if a query does not see the key.
void gradients(Tile const& t, float scale, Queries const& log_sum, Queries const& inner, float* scores,
               float* dscores) {
  for (Index k = 0; k < t.keys(); ++k) {
    float* const s = scores + k * tile_queries;
    float* const ds = dscores + k * tile_queries;
    std::fill_n(s, t.begin(k), 0.0F);
    std::fill_n(ds, t.begin(k), 0.0F);
    for (Index q = t.begin(k); q < t.width(); ++q) {
      s[q] = power_of_two(log2_of_e * (scale * s[q] - log_sum[q]));
      ds[q] = scale * s[q] * (ds[q] - inner[q]);
    }
  }
}

/// Computes the gradients of one tile. The last tile of a sequence runs first, and it sees every key. So the
/// last tile of the first head of a group assigns the gradients of all keys and values. The other tiles of
/// the group add to them.
void backward_tile(Head const& head, Tile const& t, AttentionKept const& kept, float const* dout,
                   Qkv const& dqkv, Scratch const& s) {
  const Index c = head.size.columns();
  copy(head.queries(kept.qkv, t.first), kept.qkv.q_stride, t.queries, t.head_size, s.queries);
  copy(dout + head.out(t.first), c, t.queries, t.head_size, s.dout);
  pack_transposed(s.queries, t.queries, t.head_size, s.transposed);
  multiply_transposed(t, s.keys, s.transposed, s.scores);
  pack_transposed(s.dout, t.queries, t.head_size, s.transposed);
  multiply_transposed(t, s.values, s.transposed, s.dscores);
  Queries log_sum = {}, inner;
  std::copy_n(kept.log_sum + head.sums(t.first), t.queries, log_sum);
  inner_products(t, s.dout, kept.out + head.out(t.first), c, inner);
  gradients(t, head.scale(), log_sum, inner, s.scores, s.dscores);
  const bool is_first = t.keys() == head.size.sequence && head.is_first_of_group();
  const auto write = is_first ? tile::Write::assign : tile::Write::add;
  sum_over_queries(t, s.scores, s.dout, write, s.dvalues);
  sum_over_queries(t, s.dscores, s.queries, write, s.dkeys);
  sum_over_keys(t, s.dscores, s.keys, {head.queries(dqkv, t.first), dqkv.q_stride});
}

void copy_keys_and_values(Head const& head, ConstQkv const& in, Scratch const& own) {
  const Index t = head.size.sequence, d = head.size.head_size;
  copy(head.keys(in, 0), in.kv_stride, t, d, own.keys);
  copy(head.values(in, 0), in.kv_stride, t, d, own.values);
}

/// Calls work(head, scratch) for every query head of every sequence, with the keys and values of the head in
/// the scratch memory. Each thread takes a share of the heads and has scratch memory of its own. Blocks of
/// `unit` consecutive heads are not split between threads. `unit` is 1, or the number of query heads of a
/// group.
template <class Work>
void for_each_head(Space const& exec, AttentionSize size, Index unit, ConstQkv const& in, float* scratch,
                   Work const& work) {
  const Index count = size.batch * size.heads / unit, parts = std::min<Index>(exec.concurrency(), count);
  Kokkos::parallel_for("attention", Range(exec, 0, parts), [=](Index part) {
    const Scratch own = divide(size, scratch + part * scratch_of_thread(size));
    const Index first = count * part / parts * unit, last = count * (part + 1) / parts * unit;
    for (Index i = first; i < last; ++i) {
      const Head head{size, i / size.heads, i % size.heads};
      if (i == first || head.is_first_of_group()) copy_keys_and_values(head, in, own);
      work(head, own);
    }
  });
}

/// Calls work(tile) for every tile of a sequence. The tile of the last queries comes first.
template <class Work>
void for_each_tile(AttentionSize size, Work const& work) {
  for (Index first = (size.sequence - 1) / tile_queries * tile_queries; first >= 0; first -= tile_queries)
    work(Tile{first, std::min(tile_queries, size.sequence - first), size.head_size});
}

void store_gradients(Head const& head, Scratch const& own, Qkv const& out) {
  const Index d = head.size.head_size;
  for (Index k = 0; k < head.size.sequence; ++k) {
    std::copy_n(own.dkeys.data + k * own.dkeys.stride, d, head.keys(out, k));
    std::copy_n(own.dvalues.data + k * own.dvalues.stride, d, head.values(out, k));
  }
}

}  // namespace

void attention_forward(Space const& exec, AttentionSize size, ConstQkv const& qkv, float* out, float* log_sum,
                       float* scratch) {
  for_each_head(exec, size, 1, qkv, scratch, [=](Head const& head, Scratch const& own) {
    for_each_tile(size, [&](Tile const& t) { forward_tile(head, t, qkv, out, log_sum, own); });
  });
}

// One thread computes a whole group (the query heads that share keys and values), because the heads of a
// group add to the same gradients.
void attention_backward(Space const& exec, AttentionSize size, AttentionKept const& kept, float const* dout,
                        Qkv const& dqkv, float* scratch) {
  for_each_head(exec, size, size.group(), kept.qkv, scratch, [=](Head const& head, Scratch const& own) {
    for_each_tile(size, [&](Tile const& t) { backward_tile(head, t, kept, dout, dqkv, own); });
    if (head.is_last_of_group()) store_gradients(head, own, dqkv);
  });
}

}  // namespace ddproxy::kernels::heads
