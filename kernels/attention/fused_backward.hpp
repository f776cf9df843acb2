// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/attention/fused_tiles.hpp"
#include "kernels/attention/qkv.hpp"

// The two kernels of the fused backward pass of attention. Both recompute the scores S and the probabilities
// P from the logarithms of the softmax's denominators (Dao et al., arXiv:2205.14135, section 3.1). One kernel
// computes the gradients of keys and values, the other the gradients of queries. So no two teams add to the
// same number, and the results do not depend on the order in which teams run.
#if defined(KOKKOS_ENABLE_CUDA)

namespace ddproxy::kernels::fused {

/// The common parameters of both kernels.
struct Pass {
  AttentionSize size;
  Copies in;
  Qkv gradients;
  float scale;       ///< of the scores, 1 / sqrt(D)
  float scale_log2;  ///< scale log2(e)
};

/// Two tiles of rows in shared memory, for the present and for the next step, and what else a step needs.
template <int D, int rows>
struct Stage {
  Bf16 first[rows * D];
  Bf16 second[rows * D];
  QueryRow of_queries[rows];
};

/// Turns scores into probabilities, and gradients of probabilities into gradients of unscaled scores. `row`
/// is that of the query.
__device__ inline void differentiate(float scale_log2, QueryRow row, bool sees, float& score, float& dp) {
  score = sees ? Kokkos::exp2(Kokkos::fma(score, scale_log2, -row.log_sum)) : 0.0F;
  dp = score * (dp - row.product);
}

/// Assigns the gradients of the keys and the values of one tile of keys. A warp has 16 keys. It takes 16
/// queries at a time: P^T and dS^T [16 keys, 16 queries] stay in registers.
template <int D, int queries>
struct GradientsOfKeys {
  using Stages = Stage<D, queries>;
  Pass pass;

  /// The queries of one step.
  struct Step {
    Index head;   ///< [sequence, query head]
    Index first;  ///< first query in its sequence
  };
  struct Tile {
    Index sequence, kv_head, first;  ///< first: first key
    Index steps_of_head, steps;
  };

  __device__ Tile tile_of(Index rank) const {
    auto const& size = pass.size;
    const Index heads = size.batch * size.kv_heads, head = rank % heads, first = rank / heads * rows_of_team;
    const Index steps = (size.sequence - first + queries - 1) / queries;
    return {head / size.kv_heads, head % size.kv_heads, first, steps, steps * (size.heads / size.kv_heads)};
  }
  __device__ Step step_of(Tile const& tile, Index number) const {
    auto const& size = pass.size;
    const Index member = number / tile.steps_of_head;
    return {tile.sequence * size.heads + tile.kv_head * (size.heads / size.kv_heads) + member,
            tile.first + number % tile.steps_of_head * queries};
  }
  __device__ void copy(Place at, Step step, Stages& to) const {
    const Index before = step.head * pass.size.sequence + step.first, there = pass.size.sequence - step.first;
    copy_tile<D, queries>(at, pass.in.q + before * D, there, to.first);
    copy_tile<D, queries>(at, pass.in.dout + before * D, there, to.second);
    copy_query_rows<queries>(at, pass.in.rows + before, there, to.of_queries);
  }

  template <class Member>
  __device__ void operator()(Member const& team) const {
    static_assert(2 * sizeof(Stages) >= 2 * rows_of_team * D * sizeof(Bf16));
    const Place at{static_cast<int>(team.team_rank()), lane_of_warp()};
    auto* const stages =
        static_cast<Stages*>(team.team_scratch(0).get_shmem_aligned(2 * sizeof(Stages), 128));
    const Tile tile = tile_of(team.league_rank());
    RowFragments<D> keys, values;
    load_keys(team, at, tile, reinterpret_cast<Bf16*>(stages), keys, values);
    RowSums<D> dk, dv;
    copy(at, step_of(tile, 0), stages[0]);
    end_group_of_copies();
    for (Index number = 0; number < tile.steps; ++number) {
      if (number + 1 < tile.steps) copy(at, step_of(tile, number + 1), stages[(number + 1) % 2]);
      end_group_of_copies();
      wait_for_copies<1>();
      team.team_barrier();
      const Index ahead = step_of(tile, number).first - tile.first;
      add(at, ahead, keys, values, stages[number % 2], dk, dv);
      team.team_barrier();
    }
    store(at, tile, dk, dv);
  }

  template <class Member>
  __device__ void load_keys(Member const& team, Place at, Tile const& tile, Bf16* memory,
                            RowFragments<D>& keys, RowFragments<D>& values) const {
    auto const& size = pass.size;
    const Index before = (tile.sequence * size.kv_heads + tile.kv_head) * size.sequence + tile.first;
    Bf16* const other = memory + rows_of_team * D;
    copy_tile<D, rows_of_team>(at, pass.in.k + before * D, size.sequence - tile.first, memory);
    copy_tile<D, rows_of_team>(at, pass.in.v + before * D, size.sequence - tile.first, other);
    end_group_of_copies();
    wait_for_copies<0>();
    team.team_barrier();
    keys.load(at, memory, at.warp * rows_of_warp);
    values.load(at, other, at.warp * rows_of_warp);
    team.team_barrier();
  }

  /// Adds the contributions of the queries of a stage. The first of them is `ahead` after the tile's first
  /// key.
  __device__ void add(Place at, Index ahead, RowFragments<D> const& keys, RowFragments<D> const& values,
                      Stages const& stage, RowSums<D>& dk, RowSums<D>& dv) const {
    const bool all_see = ahead >= rows_of_team;
    const int key = at.warp * rows_of_warp + at.row();
    for (int q = 0; q < queries; q += inner) {
      Sums s[2] = {}, ds[2] = {};
      keys.multiply_transposed(at, stage.first, q, s);
      values.multiply_transposed(at, stage.second, q, ds);
      for (int n = 0; n < 2; ++n)
        for (int i = 0; i < 4; ++i) {
          const int query = q + 8 * n + at.column() + i % 2;
          const bool sees = all_see || key + i / 2 * 8 <= ahead + query;
          differentiate(pass.scale_log2, stage.of_queries[query], sees, s[n].of[i], ds[n].of[i]);
        }
      dv.add_product(at, rounded(s), stage.second, q);
      dk.add_product(at, rounded(ds), stage.first, q);
    }
  }

  __device__ void store(Place at, Tile const& tile, RowSums<D> const& dk, RowSums<D> const& dv) const {
    auto const& size = pass.size;
    const Index first = tile.first + at.warp * rows_of_warp, there = size.sequence - first;
    const Index stride = pass.gradients.kv_stride;
    const Index place = (tile.sequence * size.sequence + first) * stride + tile.kv_head * D;
    dk.store(at, pass.scale, there, pass.gradients.k + place, stride);
    dv.store(at, 1, there, pass.gradients.v + place, stride);
  }
};

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
  __device__ void copy(Place at, Tile const& tile, Index number, Stages& to) const {
    const Index first = number * keys, there = pass.size.sequence - first;
    const Index before = tile.kv_head * pass.size.sequence + first;
    copy_tile<D, keys>(at, pass.in.k + before * D, there, to.first);
    copy_tile<D, keys>(at, pass.in.v + before * D, there, to.second);
  }

  template <class Member>
  __device__ void operator()(Member const& team) const {
    static_assert(2 * sizeof(Stages) >= 2 * rows_of_team * D * sizeof(Bf16));
    const Place at{static_cast<int>(team.team_rank()), lane_of_warp()};
    auto* const stages =
        static_cast<Stages*>(team.team_scratch(0).get_shmem_aligned(2 * sizeof(Stages), 128));
    const Tile tile = tile_of(team.league_rank());
    RowFragments<D> queries, gradients;
    load_queries(team, at, tile, reinterpret_cast<Bf16*>(stages), queries, gradients);
    QueryRow rows[2];
    for (int half = 0; half < 2; ++half)
      rows[half] = row_of_query(tile, tile.first + at.warp * rows_of_warp + at.row() + 8 * half);
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
  __device__ void load_queries(Member const& team, Place at, Tile const& tile, Bf16* memory,
                               RowFragments<D>& queries, RowFragments<D>& gradients) const {
    const Index before = tile.head * pass.size.sequence + tile.first, there = pass.size.sequence - tile.first;
    Bf16* const other = memory + rows_of_team * D;
    copy_tile<D, rows_of_team>(at, pass.in.q + before * D, there, memory);
    copy_tile<D, rows_of_team>(at, pass.in.dout + before * D, there, other);
    end_group_of_copies();
    wait_for_copies<0>();
    team.team_barrier();
    queries.load(at, memory, at.warp * rows_of_warp);
    gradients.load(at, other, at.warp * rows_of_warp);
    team.team_barrier();
  }

  /// Adds the contributions of the keys of a stage. The tile's first query is `ahead` after the first of
  /// them.
  __device__ void add(Place at, Index ahead, RowFragments<D> const& queries, RowFragments<D> const& gradients,
                      QueryRow const* rows, Stages const& stage, RowSums<D>& dq) const {
    const bool sees_all = ahead >= keys;
    const Index query = ahead + at.warp * rows_of_warp + at.row();
    for (int k = 0; k < keys; k += inner) {
      Sums s[2] = {}, ds[2] = {};
      queries.multiply_transposed(at, stage.first, k, s);
      gradients.multiply_transposed(at, stage.second, k, ds);
      for (int n = 0; n < 2; ++n)
        for (int i = 0; i < 4; ++i) {
          const int key = k + 8 * n + at.column() + i % 2;
          const bool sees = sees_all || key <= query + i / 2 * 8;
          differentiate(pass.scale_log2, rows[i / 2], sees, s[n].of[i], ds[n].of[i]);
        }
      dq.add_product(at, rounded(ds), stage.first, k);
    }
  }

  __device__ void store(Place at, Tile const& tile, RowSums<D> const& dq) const {
    auto const& size = pass.size;
    const Index first = tile.first + at.warp * rows_of_warp, stride = pass.gradients.q_stride;
    const Index sequence = tile.head / size.heads, head = tile.head % size.heads;
    float* const to = pass.gradients.q + (sequence * size.sequence + first) * stride + head * D;
    dq.store(at, pass.scale, size.sequence - first, to, stride);
  }
};

}  // namespace ddproxy::kernels::fused

#endif
