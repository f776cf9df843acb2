// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/attention/fused_copies.hpp"

#include "kernels/base/power_of_two.hpp"
#include "kernels/base/teams.hpp"

namespace ddproxy::kernels::fused {
namespace {

/// One head of one token. The lanes of a thread share it, two neighbouring features at a time.
struct HeadRow {
  Index token;  ///< of all sequences
  Index head;
  Index place;  ///< [sequence, head, token of the sequence]
};

KOKKOS_FUNCTION HeadRow head_row(Index row, Index heads, Index sequence) {
  const Index token = row / heads, head = row % heads;
  return {token, head, (token / sequence * heads + head) * sequence + token % sequence};
}

/// Rounds one vector of D numbers to bf16.
KOKKOS_FUNCTION void round_vector(Team const& team, Index d, float const* from, Bf16* to) {
  auto* const pairs = reinterpret_cast<std::uint32_t*>(to);
  Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, d / 2),
                       [=](Index i) { pairs[i] = to_two_bf16(from[2 * i], from[2 * i + 1]); });
}

/// Rounds the vectors of one or two arrays with the same layout.
struct RoundHeads {
  AttentionSize size;
  Index heads, stride;
  float const *first, *second;
  Bf16 *to_first, *to_second;

  KOKKOS_FUNCTION void operator()(Team const& team) const {
    const Index number = row_of(team), d = size.head_size;
    if (number >= size.batch * size.sequence * heads) return;
    const HeadRow row = head_row(number, heads, size.sequence);
    const Index from = row.token * stride + row.head * d, to = row.place * d;
    round_vector(team, d, first + from, to_first + to);
    if (second != nullptr) round_vector(team, d, second + from, to_second + to);
  }
};

struct RoundGradients {
  AttentionSize size;
  float const *out, *log_sum, *dout;
  Bf16* to;
  QueryRow* rows;

  KOKKOS_FUNCTION void operator()(Team const& team) const {
    const Index number = row_of(team), d = size.head_size;
    if (number >= size.batch * size.sequence * size.heads) return;
    const HeadRow row = head_row(number, size.heads, size.sequence);
    float const* const gradient = dout + number * d;
    float const* const result = out + number * d;
    round_vector(team, d, gradient, to + row.place * d);
    float product = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, d), [=](Index i, float& sum) { sum += gradient[i] * result[i]; },
        product);
    const QueryRow values{log2_of_e * log_sum[row.place], product};
    QueryRow* const place = rows + row.place;
    Kokkos::single(Kokkos::PerThread(team), [=]() { *place = values; });
  }
};

}  // namespace

Copies::Copies(AttentionSize size, float* scratch) {
  const Index of_queries = copy_elements(size, size.heads), of_keys = copy_elements(size, size.kv_heads);
  q = reinterpret_cast<Bf16*>(scratch);
  dout = reinterpret_cast<Bf16*>(scratch + of_queries);
  k = reinterpret_cast<Bf16*>(scratch + 2 * of_queries);
  v = reinterpret_cast<Bf16*>(scratch + 2 * of_queries + of_keys);
  rows = reinterpret_cast<QueryRow*>(scratch + 2 * of_queries + 2 * of_keys);
}

void copy_inputs(Space const& exec, AttentionSize size, ConstQkv const& qkv, Copies const& to) {
  const Index tokens = size.batch * size.sequence;
  Kokkos::parallel_for("attention: round queries", threads_of_rows(exec, tokens * size.heads),
                       RoundHeads{size, size.heads, qkv.q_stride, qkv.q, nullptr, to.q, nullptr});
  Kokkos::parallel_for("attention: round keys and values", threads_of_rows(exec, tokens * size.kv_heads),
                       RoundHeads{size, size.kv_heads, qkv.kv_stride, qkv.k, qkv.v, to.k, to.v});
}

void copy_gradients(Space const& exec, AttentionSize size, float const* out, float const* log_sum,
                    float const* dout, Copies const& to) {
  Kokkos::parallel_for("attention: round gradients",
                       threads_of_rows(exec, size.batch * size.sequence * size.heads),
                       RoundGradients{size, out, log_sum, dout, to.dout, to.rows});
}

}  // namespace ddproxy::kernels::fused
