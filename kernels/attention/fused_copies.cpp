// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/attention/fused_copies.hpp"

#include "kernels/base/power_of_two.hpp"
#include "kernels/base/teams.hpp"

namespace ddproxy::kernels::fused {
namespace {

/// One head of one token, called a row. The lanes of a thread share it: a lane has four neighbouring
/// features. A group of sequences has fewer than 2^31 rows. So the number of a row is an int, which a device
/// divides faster than an Index.
struct HeadRow {
  int token, head;
  Index place;  ///< index into [sequence, head, token of the sequence]
};

constexpr int features_of_lane = 4, threads_of_team = 16;

Teams teams_of_heads(Space const& exec, Index rows, Index head_size) {
  const int lanes = static_cast<int>(head_size) / features_of_lane;
  return {exec, static_cast<int>((rows + threads_of_team - 1) / threads_of_team), threads_of_team, lanes};
}

KOKKOS_FUNCTION HeadRow head_row(int row, int heads, int sequence) {
  const int token = row / heads, head = row % heads;
  return {token, head, (Index{token / sequence} * heads + head) * sequence + token % sequence};
}

KOKKOS_FUNCTION void round_four(float const* from, Bf16* to) {
  *reinterpret_cast<FourBf16*>(to) = to_four_bf16(from);
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
    const HeadRow row =
        head_row(static_cast<int>(number), static_cast<int>(heads), static_cast<int>(size.sequence));
    const Index from = row.token * stride + row.head * d, to = row.place * d;
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, d / features_of_lane), [=, *this](Index lane) {
      const Index i = lane * features_of_lane;
      round_four(first + from + i, to_first + to + i);
      if (second != nullptr) round_four(second + from + i, to_second + to + i);
    });
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
    const HeadRow row =
        head_row(static_cast<int>(number), static_cast<int>(size.heads), static_cast<int>(size.sequence));
    float const* const gradient = dout + number * d;
    float const* const result = out + number * d;
    Bf16* const copy = to + row.place * d;
    float product = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, d / features_of_lane),
        [=](Index lane, float& sum) {
          const Index first = lane * features_of_lane;
          round_four(gradient + first, copy + first);
          for (Index i = first; i < first + features_of_lane; ++i) sum += gradient[i] * result[i];
        },
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
  Kokkos::parallel_for("attention: round queries", teams_of_heads(exec, tokens * size.heads, size.head_size),
                       RoundHeads{size, size.heads, qkv.q_stride, qkv.q, nullptr, to.q, nullptr});
  Kokkos::parallel_for("attention: round keys and values",
                       teams_of_heads(exec, tokens * size.kv_heads, size.head_size),
                       RoundHeads{size, size.kv_heads, qkv.kv_stride, qkv.k, qkv.v, to.k, to.v});
}

void copy_gradients(Space const& exec, AttentionSize size, float const* out, float const* log_sum,
                    float const* dout, Copies const& to) {
  Kokkos::parallel_for("attention: round gradients",
                       teams_of_heads(exec, size.batch * size.sequence * size.heads, size.head_size),
                       RoundGradients{size, out, log_sum, dout, to.dout, to.rows});
}

}  // namespace ddproxy::kernels::fused
