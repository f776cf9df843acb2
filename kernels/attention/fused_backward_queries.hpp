// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/attention/fused_backward.hpp"

// The kernel of the fused backward pass that computes the gradients of queries. A team has a tile of queries.
// It visits the keys up to its last query:
//   P = exp(Q K^T / sqrt(D) - log_sum),  dS = P (dO V^T - row sum of dO * O),  dQ = dS K / sqrt(D)
// The row sum adds the products of the D elements of a row of dO with those of O.
#if defined(KOKKOS_ENABLE_CUDA)

namespace ddproxy::kernels::fused {

/// Assigns the gradients of one tile of queries. A warp has 16 queries. It takes 16 keys at a time.
template <int D, int keys>
struct GradientsOfQueries {
  using Stages = Stage<D, keys>;
  Pass pass;

  __device__ void copy(Place<D> const& at, QueryTile const& tile, Index number, Stages& to) const {
    const Index first = number * keys, there = pass.size.sequence - first;
    const Index before = tile.kv_head * pass.size.sequence + first;
    copy_tile<D, keys>(at, pass.in.k + before * D, there, to.first);
    copy_tile<D, keys>(at, pass.in.v + before * D, there, to.second);
  }

  template <class Member>
  __device__ void operator()(Member const& team) const {
    const Place<D> at(static_cast<unsigned>(team.team_rank()), lane_of_warp());
    auto* const stages = stages_of<Stages>(team);
    auto const& size = pass.size;
    const QueryTile tile = query_tile(size, team.league_rank(), keys);
    const Index before = tile.head * size.sequence + tile.first;
    RowFragments<D> own[2];  // queries and dout
    load_own_rows(team, at, stages, size.sequence - tile.first,
                  {pass.in.q + before * D, pass.in.dout + before * D}, own);
    const QueryRow rows[2] = {row_of_query(tile, tile.first + at.rows_before() + at.row()),
                              row_of_query(tile, tile.first + at.rows_before() + at.row() + 8)};
    RowSums<D> dq;
    Index next = 0, ahead = tile.first;
    const auto copy_next = [&](Stages& to) { copy(at, tile, next++, to); };
    in_stages(team, stages, tile.steps, copy_next, [&](Stages const& stage) {
      add(at, ahead, own[0], own[1], rows, stage, dq);
      ahead -= keys;
    });
    store(at, tile, dq);
  }

  __device__ QueryRow row_of_query(QueryTile const& tile, Index query) const {
    if (query >= pass.size.sequence) return {0, 0};
    return pass.in.rows[tile.head * pass.size.sequence + query];
  }

  /// Adds the contributions of the keys of a stage. The tile's first query is `ahead` tokens after the
  /// stage's first key.
  __device__ void add(Place<D> const& at, Index ahead, RowFragments<D> const& queries,
                      RowFragments<D> const& gradients, QueryRow const* rows, Stages const& stage,
                      RowSums<D>& dq) const {
    const unsigned k = shared_address(stage.first), v = shared_address(stage.second);
    for (int row = 0; row < keys; row += inner) {
      Sums s[2] = {}, ds[2] = {};
      queries.multiply_transposed(k + at.across, row, s);
      gradients.multiply_transposed(v + at.across, row, ds);
      if (ahead < keys) hide_later_keys<2>(at, static_cast<int>(ahead) - row, s);
      for (int n = 0; n < 2; ++n)
        for (int i = 0; i < 4; ++i) differentiate(pass.scale_log2, rows[i / 2], s[n].of[i], ds[n].of[i]);
      dq.add_product(rounded(ds), k + at.along, row);
    }
  }

  __device__ void store(Place<D> const& at, QueryTile const& tile, RowSums<D> const& dq) const {
    auto const& size = pass.size;
    const Index first = tile.first + at.rows_before(), stride = pass.gradients.q_stride;
    const Index sequence = tile.head / size.heads, head = tile.head % size.heads;
    float* const to = pass.gradients.q + (sequence * size.sequence + first) * stride + head * D;
    dq.store(at, pass.scale, size.sequence - first, to, stride);
  }
};

}  // namespace ddproxy::kernels::fused

#endif
