// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/attention/fused_stages.hpp"

// The kernel of the fused forward pass of attention. It visits the keys of a tile of queries once. It keeps
// the largest score so far and the sums that belong to it, and rescales the sums when a larger score appears
// (Dao et al., arXiv:2205.14135, section 3.1).
#if defined(KOKKOS_ENABLE_CUDA)

namespace ddproxy::kernels::fused {

/// Assigns the outputs and the logarithms of the softmax's denominators of one tile of queries. A warp has 16
/// queries.
template <int D, int keys>
struct Forward {
  struct Stages {
    alignas(256) Bf16 k[keys * D];
    alignas(256) Bf16 v[keys * D];
  };
  AttentionSize size;
  Bf16 const *q, *k, *v;  ///< [sequence, head, token, D]
  float scale;            ///< factor of the scores, 1 / sqrt(D)
  float scale_log2;       ///< scale log2(e)
  float* out;             ///< [sequence, token, query head, D]
  float* log_sum;         ///< [sequence, query head, token]

  /// The largest score so far and the sum of the exponentials so far, for the two rows in which a lane has
  /// elements.
  struct Softmax {
    float largest[2] = {never, never};
    float sum[2] = {0, 0};  ///< over the columns of this lane only
  };

  __device__ void copy(Place<D> const& at, QueryTile const& tile, Index number, Stages& to) const {
    const Index first = number * keys, there = size.sequence - first;
    const Index before = tile.kv_head * size.sequence + first;
    copy_tile<D, keys>(at, k + before * D, there, to.k);
    copy_tile<D, keys>(at, v + before * D, there, to.v);
  }

  template <class Member>
  __device__ void operator()(Member const& team) const {
    const Place<D> at(static_cast<unsigned>(team.team_rank()), lane_of_warp());
    auto* const stages = stages_of<Stages>(team);
    const QueryTile tile = query_tile(size, team.league_rank(), keys);
    RowFragments<D> queries[1];
    load_own_rows(team, at, stages, size.sequence - tile.first,
                  {q + (tile.head * size.sequence + tile.first) * D}, queries);
    RowSums<D> sums;
    Softmax softmax;
    Index next = 0, ahead = tile.first;
    const auto copy_next = [&](Stages& to) { copy(at, tile, next++, to); };
    in_stages(team, stages, tile.steps, copy_next, [&](Stages const& stage) {
      add(at, ahead, queries[0], stage, softmax, sums);
      ahead -= keys;
    });
    store(at, tile, softmax, sums);
  }

  /// Adds the contributions of the keys of a stage. The tile's first query is `ahead` tokens after the
  /// stage's first key.
  __device__ void add(Place<D> const& at, Index ahead, RowFragments<D> const& queries, Stages const& stage,
                      Softmax& softmax, RowSums<D>& sums) const {
    Sums s[keys / 8] = {};
    const unsigned k_tile = shared_address(stage.k) + at.across, v_tile = shared_address(stage.v) + at.along;
    for (int step = 0; step < keys / inner; ++step)
      queries.multiply_transposed(k_tile, step * inner, s + 2 * step);
    if (ahead < keys) hide_later_keys<keys / 8>(at, static_cast<int>(ahead), s);
    for (int half = 0; half < 2; ++half) rescale(half, s, softmax, sums);
    for (int step = 0; step < keys / inner; ++step)
      sums.add_product(rounded(s + 2 * step), v_tile, step * inner);
  }

  /// Replaces each score of one of the lane's two rows by exp(scale (score - largest)), a probability that is
  /// not yet divided by the denominator. Rescales the sums so far to the new largest score.
  __device__ void rescale(int half, Sums* s, Softmax& softmax, RowSums<D>& sums) const {
    const float before = softmax.largest[half];
    float largest = before;
    for (int n = 0; n < keys / 8; ++n)
      largest = Kokkos::max(largest, Kokkos::max(s[n].of[2 * half], s[n].of[2 * half + 1]));
    largest = largest_of_four_lanes(largest);
    const float factor = fast_power_of_two((before - largest) * scale_log2), shift = largest * scale_log2;
    float sum = softmax.sum[half] * factor;
    for (int n = 0; n < keys / 8; ++n)
      for (int i = 2 * half; i < 2 * half + 2; ++i) {
        s[n].of[i] = fast_power_of_two(Kokkos::fma(s[n].of[i], scale_log2, -shift));
        sum += s[n].of[i];
      }
    for (int n = 0; n < D / 8; ++n)
      for (int i = 2 * half; i < 2 * half + 2; ++i) sums.of[n].of[i] *= factor;
    softmax.largest[half] = largest;
    softmax.sum[half] = sum;
  }

  __device__ void store(Place<D> const& at, QueryTile const& tile, Softmax const& softmax,
                        RowSums<D>& sums) const {
    const Index first = tile.first + at.rows_before(), there = size.sequence - first;
    for (int half = 0; half < 2; ++half) {
      const float sum = sum_of_four_lanes(softmax.sum[half]);
      const int row = at.row() + 8 * half;
      for (int n = 0; n < D / 8; ++n)
        for (int i = 2 * half; i < 2 * half + 2; ++i) sums.of[n].of[i] /= sum;
      if (at.lane % 4 == 0 && row < there)
        log_sum[tile.head * size.sequence + first + row] = softmax.largest[half] * scale + Kokkos::log(sum);
    }
    const Index sequence = tile.head / size.heads, head = tile.head % size.heads, stride = size.heads * D;
    sums.store(at, 1, there, out + (sequence * size.sequence + first) * stride + head * D, stride);
  }
};

}  // namespace ddproxy::kernels::fused

#endif
