// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/base/types.hpp"

namespace ddproxy::kernels {

/// Returns a policy of `count` teams, each of which works on rows of `columns` elements. On a device a team
/// has 64 to 512 threads. With 256 to 4096 columns a thread has four to eight elements of a row, so that a
/// sum over the row takes few steps. Neighbouring threads have neighbouring elements. On a host Kokkos
/// chooses the team size.
inline Teams teams_of_rows(Space const& exec, Index count, Index columns) {
  const int league = static_cast<int>(count);
  if constexpr (!on_device) return Teams(exec, league, Kokkos::AUTO);
  constexpr int fewest = 64, most = 512;
  int threads = fewest;
  while (threads < most && threads * 8 <= columns) threads *= 2;
  return Teams(exec, league, threads);
}

/// Returns a policy in which each thread of a team works on one of `count` rows: the row row_of(team). On a
/// device a thread of a team is a vector of 32 lanes, so that a sum over the row needs no barrier. The last
/// team can have rows beyond `count`, which the kernel must skip.
inline Teams threads_of_rows(Space const& exec, Index count) {
  if constexpr (!on_device) return Teams(exec, static_cast<int>(count), 1);
  constexpr int rows_of_team = 8, lanes = 32;
  return Teams(exec, static_cast<int>((count + rows_of_team - 1) / rows_of_team), rows_of_team, lanes);
}

/// Returns the row of the calling thread in a policy of threads_of_rows().
KOKKOS_INLINE_FUNCTION Index row_of(Team const& team) {
  return Index{team.league_rank()} * team.team_size() + team.team_rank();
}

}  // namespace ddproxy::kernels
