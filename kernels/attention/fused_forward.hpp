// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/attention/fused_tiles.hpp"

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
  float scale;            ///< of the scores, 1 / sqrt(D)
  float scale_log2;       ///< scale log2(e)
  float* out;             ///< [sequence, token, query head, D]
  float* log_sum;         ///< [sequence, query head, token]

  struct Tile {
    Index head, kv_head;  ///< [sequence, head]
    Index first, steps;   ///< first: first query
  };
  /// The softmax of the two rows of a lane.
  struct Softmax {
    float largest[2] = {-1e30F, -1e30F};
    float sum[2] = {0, 0};  ///< over the columns of this lane only
  };

  __device__ Tile tile_of(Index rank) const {
    const Index heads = size.batch * size.heads, head = rank % heads;
    const Index first = (tiles_of(size) - 1 - rank / heads) * rows_of_team;
    const Index end = Kokkos::min(first + rows_of_team, size.sequence);
    const Index kv_head =
        head / size.heads * size.kv_heads + head % size.heads / (size.heads / size.kv_heads);
    return {head, kv_head, first, (end + keys - 1) / keys};
  }
  __device__ void copy(Place<D> const& at, Tile const& tile, Index number, Stages& to) const {
    const Index first = number * keys, there = size.sequence - first;
    const Index before = tile.kv_head * size.sequence + first;
    copy_tile<D, keys>(at, k + before * D, there, to.k);
    copy_tile<D, keys>(at, v + before * D, there, to.v);
  }

  template <class Member>
  __device__ void operator()(Member const& team) const {
    const Place<D> at(static_cast<unsigned>(team.team_rank()), lane_of_warp());
    auto* const stages =
        static_cast<Stages*>(team.team_scratch(0).get_shmem_aligned(2 * sizeof(Stages), alignof(Stages)));
    const Tile tile = tile_of(team.league_rank());
    RowFragments<D> queries;
    load_queries(team, at, tile, reinterpret_cast<Bf16*>(stages), queries);
    RowSums<D> sums;
    Softmax softmax;
    copy(at, tile, 0, stages[0]);
    end_group_of_copies();
    for (Index number = 0; number < tile.steps; ++number) {
      if (number + 1 < tile.steps) copy(at, tile, number + 1, stages[(number + 1) % 2]);
      end_group_of_copies();
      wait_for_copies<1>();
      team.team_barrier();
      add(at, tile.first - number * keys, queries, stages[number % 2], softmax, sums);
      team.team_barrier();
    }
    store(at, tile, softmax, sums);
  }

  template <class Member>
  __device__ void load_queries(Member const& team, Place<D> const& at, Tile const& tile, Bf16* memory,
                               RowFragments<D>& queries) const {
    static_assert(2 * sizeof(Stages) >= rows_of_team * D * sizeof(Bf16));
    const Index before = tile.head * size.sequence + tile.first, there = size.sequence - tile.first;
    copy_tile<D, rows_of_team>(at, q + before * D, there, memory);
    end_group_of_copies();
    wait_for_copies<0>();
    team.team_barrier();
    queries.load(at, memory, at.rows_before());
    team.team_barrier();
  }

  /// Adds the contributions of the keys of a stage. The tile's first query is `ahead` after the first of
  /// them.
  __device__ void add(Place<D> const& at, Index ahead, RowFragments<D> const& queries, Stages const& stage,
                      Softmax& softmax, RowSums<D>& sums) const {
    Sums s[keys / 8] = {};
    const unsigned k_tile = shared_address(stage.k) + at.across, v_tile = shared_address(stage.v) + at.along;
    for (int step = 0; step < keys / inner; ++step)
      queries.multiply_transposed(k_tile, step * inner, s + 2 * step);
    if (ahead < keys) hide_later_keys(at, ahead, s);
    for (int half = 0; half < 2; ++half) rescale(half, s, softmax, sums);
    for (int step = 0; step < keys / inner; ++step)
      sums.add_product(rounded(s + 2 * step), v_tile, step * inner);
  }

  __device__ void hide_later_keys(Place<D> const& at, Index ahead, Sums* s) const {
    const Index query = ahead + at.rows_before() + at.row();
    for (int n = 0; n < keys / 8; ++n)
      for (int i = 0; i < 4; ++i)
        if (8 * n + at.column() + i % 2 > query + i / 2 * 8) s[n].of[i] = -1e30F;
  }

  /// Turns the scores of one of the lane's two rows into unscaled probabilities, and brings the sums so far
  /// to the same scale.
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

  __device__ void store(Place<D> const& at, Tile const& tile, Softmax const& softmax,
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
