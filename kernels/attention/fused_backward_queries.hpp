// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/attention/fused_backward.hpp"

// The kernel of the fused backward pass that computes the gradients of queries. A team visits, for its
// queries, the earlier keys:
//   P = exp(Q K^T / sqrt(D) - log_sum),  dS = P (dO V^T - sum over d of dO O),  dQ = dS K / sqrt(D)
#if defined(KOKKOS_ENABLE_CUDA)

namespace ddproxy::kernels::fused {

/// Assigns the gradients of one tile of queries. A warp has 16 queries. It takes 16 keys at a time.
template <int D, int keys>
struct GradientsOfQueries {
  using Stages = Stage<D, keys>;
  Pass pass;

  struct Tile {
    Index head, kv_head;  ///< [sequence, head]
    Index first, steps;   ///< first: first query
  };

  __device__ Tile tile_of(Index rank) const {
    auto const& size = pass.size;
    const Index heads = size.batch * size.heads, head = rank % heads;
    const Index first = (tiles_of(size) - 1 - rank / heads) * rows_of_team;
    const Index end = Kokkos::min(first + rows_of_team, size.sequence);
    const Index kv_head =
        head / size.heads * size.kv_heads + head % size.heads / (size.heads / size.kv_heads);
    return {head, kv_head, first, (end + keys - 1) / keys};
  }
  __device__ void copy(Place<D> const& at, Tile const& tile, Index number, Stages& to) const {
    const Index first = number * keys, there = pass.size.sequence - first;
    const Index before = tile.kv_head * pass.size.sequence + first;
    copy_tile<D, keys>(at, pass.in.k + before * D, there, to.first);
    copy_tile<D, keys>(at, pass.in.v + before * D, there, to.second);
  }

  template <class Member>
  __device__ void operator()(Member const& team) const {
    static_assert(2 * sizeof(Stages) >= 2 * rows_of_team * D * sizeof(Bf16));
    const Place<D> at(static_cast<unsigned>(team.team_rank()), lane_of_warp());
    auto* const stages =
        static_cast<Stages*>(team.team_scratch(0).get_shmem_aligned(2 * sizeof(Stages), alignof(Stages)));
    const Tile tile = tile_of(team.league_rank());
    RowFragments<D> queries, gradients;
    load_queries(team, at, tile, reinterpret_cast<Bf16*>(stages), queries, gradients);
    QueryRow rows[2];
    for (int half = 0; half < 2; ++half)
      rows[half] = row_of_query(tile, tile.first + at.rows_before() + at.row() + 8 * half);
    RowSums<D> dq;
    copy(at, tile, 0, stages[0]);
    end_group_of_copies();
    for (Index number = 0; number < tile.steps; ++number) {
      if (number + 1 < tile.steps) copy(at, tile, number + 1, stages[(number + 1) % 2]);
      end_group_of_copies();
      wait_for_copies<1>();
      team.team_barrier();
      add(at, tile.first - number * keys, queries, gradients, rows, stages[number % 2], dq);
      team.team_barrier();
    }
    store(at, tile, dq);
  }

  __device__ QueryRow row_of_query(Tile const& tile, Index query) const {
    if (query >= pass.size.sequence) return {0, 0};
    return pass.in.rows[tile.head * pass.size.sequence + query];
  }

  template <class Member>
  __device__ void load_queries(Member const& team, Place<D> const& at, Tile const& tile, Bf16* memory,
                               RowFragments<D>& queries, RowFragments<D>& gradients) const {
    const Index before = tile.head * pass.size.sequence + tile.first, there = pass.size.sequence - tile.first;
    Bf16* const other = memory + rows_of_team * D;
    copy_tile<D, rows_of_team>(at, pass.in.q + before * D, there, memory);
    copy_tile<D, rows_of_team>(at, pass.in.dout + before * D, there, other);
    end_group_of_copies();
    wait_for_copies<0>();
    team.team_barrier();
    queries.load(at, memory, at.rows_before());
    gradients.load(at, other, at.rows_before());
    team.team_barrier();
  }

  /// Adds the contributions of the keys of a stage. The tile's first query is `ahead` after the first of
  /// them.
  __device__ void add(Place<D> const& at, Index ahead, RowFragments<D> const& queries,
                      RowFragments<D> const& gradients, QueryRow const* rows, Stages const& stage,
                      RowSums<D>& dq) const {
    const unsigned k = shared_address(stage.first), v = shared_address(stage.second);
    for (int row = 0; row < keys; row += inner) {
      Sums s[2] = {}, ds[2] = {};
      queries.multiply_transposed(k + at.across, row, s);
      gradients.multiply_transposed(v + at.across, row, ds);
      if (ahead < keys) hide_later_keys(at, static_cast<int>(ahead) - row, s);
      for (int n = 0; n < 2; ++n)
        for (int i = 0; i < 4; ++i) differentiate(pass.scale_log2, rows[i / 2], s[n].of[i], ds[n].of[i]);
      dq.add_product(rounded(ds), k + at.along, row);
    }
  }

  /// Hides the scores of keys that come after the query. The tile's first query is `ahead` after key 0.
  __device__ void hide_later_keys(Place<D> const& at, int ahead, Sums* s) const {
    const int query = ahead + at.rows_before() + at.row();
    for (int n = 0; n < 2; ++n)
      for (int i = 0; i < 4; ++i)
        if (8 * n + at.column() + i % 2 > query + i / 2 * 8) s[n].of[i] = never;
  }

  __device__ void store(Place<D> const& at, Tile const& tile, RowSums<D> const& dq) const {
    auto const& size = pass.size;
    const Index first = tile.first + at.rows_before(), stride = pass.gradients.q_stride;
    const Index sequence = tile.head / size.heads, head = tile.head % size.heads;
    float* const to = pass.gradients.q + (sequence * size.sequence + first) * stride + head * D;
    dq.store(at, pass.scale, size.sequence - first, to, stride);
  }
};

}  // namespace ddproxy::kernels::fused

#endif
