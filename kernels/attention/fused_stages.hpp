// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/attention/fused_tiles.hpp"

// What all fused kernels of attention do alike. A team has a tile of its own: keys or queries, which stay in
// registers. It visits tiles of the other kind step by step. It has two stages in shared memory: it computes
// with one while the tiles of the next step are copied into the other.
#if defined(KOKKOS_ENABLE_CUDA)

namespace ddproxy::kernels::fused {

/// The score that replaces the score of a key that a query does not see. It is finite, and its probability is
/// 0.
inline constexpr float never = -1e30F;

/// A team's tile of queries, and the keys that it visits.
struct QueryTile {
  Index head, kv_head;  ///< indices into [sequence, head]
  Index first;          ///< position of the first query in its sequence
  Index steps;          ///< number of tiles of keys, up to the last query's own position
};

/// Returns the tile of queries of team `rank`. The tiles with the most keys come first. A step takes `keys`
/// keys.
__device__ inline QueryTile query_tile(AttentionSize const& size, Index rank, Index keys) {
  const Index heads = size.batch * size.heads, head = rank % heads;
  const Index first = (tiles_of(size) - 1 - rank / heads) * rows_of_team;
  const Index end = Kokkos::min(first + rows_of_team, size.sequence);
  const Index kv_head = head / size.heads * size.kv_heads + head % size.heads / (size.heads / size.kv_heads);
  return {head, kv_head, first, (end + keys - 1) / keys};
}

/// Assigns `never` to the scores of keys that come after the query, in `fragments` neighbouring fragments.
/// The team's first query is `ahead` tokens after the first key of the fragments.
template <int fragments, int D>
__device__ void hide_later_keys(Place<D> const& at, int ahead, Sums* s) {
  const int query = ahead + at.rows_before() + at.row();
  for (int n = 0; n < fragments; ++n)
    for (int i = 0; i < 4; ++i)
      if (8 * n + at.column() + i % 2 > query + i / 2 * 8) s[n].of[i] = never;
}

/// Returns the two stages of a team.
template <class Stages, class Member>
__device__ Stages* stages_of(Member const& team) {
  return static_cast<Stages*>(team.team_scratch(0).get_shmem_aligned(2 * sizeof(Stages), alignof(Stages)));
}

/// Loads the fragments of the team's own rows from n arrays. `from` points to the first row of the team's
/// tile in each array. Only the first `there` rows exist; the others become zero. Overwrites the stages.
template <int D, int n, class Member, class Stages>
__device__ void load_own_rows(Member const& team, Place<D> const& at, Stages* stages, Index there,
                              Bf16 const* const (&from)[n], RowFragments<D> (&to)[n]) {
  static_assert(2 * sizeof(Stages) >= n * rows_of_team * D * sizeof(Bf16));
  auto* const memory = reinterpret_cast<Bf16*>(stages);
  for (int i = 0; i < n; ++i) copy_tile<D, rows_of_team>(at, from[i], there, memory + i * rows_of_team * D);
  end_group_of_copies();
  wait_for_copies<0>();
  team.team_barrier();
  for (int i = 0; i < n; ++i) to[i].load(at, memory + i * rows_of_team * D, at.rows_before());
  team.team_barrier();
}

/// Carries out the steps of a team, in order. For each step it calls copy(stage), which begins the copies
/// into a stage. When the copies have arrived, it calls work(stage), which computes with them. copy() is one
/// step ahead of work().
template <class Member, class Stages, class Copy, class Work>
__device__ void in_stages(Member const& team, Stages* stages, Index steps, Copy const& copy,
                          Work const& work) {
  copy(stages[0]);
  end_group_of_copies();
  for (Index number = 0; number < steps; ++number) {
    if (number + 1 < steps) copy(stages[(number + 1) % 2]);
    end_group_of_copies();
    wait_for_copies<1>();
    team.team_barrier();
    work(stages[number % 2]);
    team.team_barrier();
  }
}

}  // namespace ddproxy::kernels::fused

#endif
