// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/attention/fused_backward.hpp"

// The kernel of the fused backward pass that computes the gradients of keys and values. A team has a tile of
// keys. In each query head that uses these keys, it visits the queries from the position of the tile's first
// key to the end of the sequence:
//   P^T = exp(K Q^T / sqrt(D) - log_sum),  dS^T = P^T (V dO^T - row sum of dO * O)
//   dV = P^T dO,  dK = dS^T Q / sqrt(D)
// The row sum adds the products of the D elements of a row of dO with those of O.
#if defined(KOKKOS_ENABLE_CUDA)

namespace ddproxy::kernels::fused {

/// Assigns the gradients of the keys and the values of one tile of keys. A warp has 16 keys. It takes 16
/// queries at a time: P^T and dS^T [16 keys, 16 queries] stay in registers.
template <int D, int queries>
struct GradientsOfKeys {
  using Stages = Stage<D, queries>;
  Pass pass;

  /// The queries of one step.
  struct Step {
    Index head;   ///< index into [sequence, query head]
    Index first;  ///< position of the first query in its sequence
  };
  struct Tile {
    Index sequence, kv_head;
    Index first;  ///< position of the first key in its sequence
    Index steps;  ///< number of steps, for all query heads that use the keys
  };

  __device__ Tile tile_of(Index rank) const {
    auto const& size = pass.size;
    const Index heads = size.batch * size.kv_heads, head = rank % heads, first = rank / heads * rows_of_team;
    const Index steps = (size.sequence - first + queries - 1) / queries;
    return {head / size.kv_heads, head % size.kv_heads, first, steps * (size.heads / size.kv_heads)};
  }
  __device__ Step first_step(Tile const& tile) const {
    auto const& size = pass.size;
    return {tile.sequence * size.heads + tile.kv_head * (size.heads / size.kv_heads), tile.first};
  }
  __device__ Step step_after(Tile const& tile, Step step) const {
    step.first += queries;
    return step.first < pass.size.sequence ? step : Step{step.head + 1, tile.first};
  }
  __device__ void copy(Place<D> const& at, Step step, Stages& to) const {
    const Index before = step.head * pass.size.sequence + step.first, there = pass.size.sequence - step.first;
    copy_tile<D, queries>(at, pass.in.q + before * D, there, to.first);
    copy_tile<D, queries>(at, pass.in.dout + before * D, there, to.second);
    copy_query_rows<queries>(at, pass.in.rows + before, there, to.of_queries);
  }

  template <class Member>
  __device__ void operator()(Member const& team) const {
    const Place<D> at(static_cast<unsigned>(team.team_rank()), lane_of_warp());
    auto* const stages = stages_of<Stages>(team);
    const Tile tile = tile_of(team.league_rank());
    auto const& size = pass.size;
    const Index before = (tile.sequence * size.kv_heads + tile.kv_head) * size.sequence + tile.first;
    RowFragments<D> own[2];  // keys and values
    load_own_rows(team, at, stages, size.sequence - tile.first,
                  {pass.in.k + before * D, pass.in.v + before * D}, own);
    RowSums<D> dk, dv;
    Step next = first_step(tile), now = next;
    const auto copy_next = [&](Stages& to) {
      copy(at, next, to);
      next = step_after(tile, next);
    };
    in_stages(team, stages, tile.steps, copy_next, [&](Stages const& stage) {
      add(at, now.first - tile.first, own[0], own[1], stage, dk, dv);
      now = step_after(tile, now);
    });
    store(at, tile, dk, dv);
  }

  /// Adds the contributions of the queries of a stage. The stage's first query is `ahead` tokens after the
  /// tile's first key.
  __device__ void add(Place<D> const& at, Index ahead, RowFragments<D> const& keys,
                      RowFragments<D> const& values, Stages const& stage, RowSums<D>& dk,
                      RowSums<D>& dv) const {
    const unsigned q = shared_address(stage.first), dout = shared_address(stage.second);
    for (int row = 0; row < queries; row += inner) {
      Sums s[2] = {}, ds[2] = {};
      keys.multiply_transposed(q + at.across, row, s);
      values.multiply_transposed(dout + at.across, row, ds);
      if (ahead < rows_of_team) hide_earlier_queries(at, static_cast<int>(ahead) + row, s);
      for (int n = 0; n < 2; ++n) {
        const auto rows = *reinterpret_cast<TwoRows const*>(stage.of_queries + row + 8 * n + at.column());
        for (int i = 0; i < 4; ++i) differentiate(pass.scale_log2, rows.of[i % 2], s[n].of[i], ds[n].of[i]);
      }
      dv.add_product(rounded(s), dout + at.along, row);
      dk.add_product(rounded(ds), q + at.along, row);
    }
  }

  /// Assigns `never` to the scores of queries that come before the key. The first query of `s` is `ahead`
  /// tokens after the tile's first key.
  __device__ void hide_earlier_queries(Place<D> const& at, int ahead, Sums* s) const {
    const int key = at.rows_before() + at.row();
    for (int n = 0; n < 2; ++n)
      for (int i = 0; i < 4; ++i)
        if (key + i / 2 * 8 > ahead + 8 * n + at.column() + i % 2) s[n].of[i] = never;
  }

  __device__ void store(Place<D> const& at, Tile const& tile, RowSums<D> const& dk,
                        RowSums<D> const& dv) const {
    auto const& size = pass.size;
    const Index first = tile.first + at.rows_before(), there = size.sequence - first;
    const Index stride = pass.gradients.kv_stride;
    const Index place = (tile.sequence * size.sequence + first) * stride + tile.kv_head * D;
    dk.store(at, pass.scale, there, pass.gradients.k + place, stride);
    dv.store(at, 1, there, pass.gradients.v + place, stride);
  }
};

}  // namespace ddproxy::kernels::fused

#endif
