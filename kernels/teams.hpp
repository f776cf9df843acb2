// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/types.hpp"

namespace ddproxy::kernels {

/// Returns a policy of `count` teams, each of which works on rows of `columns` elements. On a device a team
/// has 64 to 512 threads. A thread then has about four to eight elements of a row, so that a sum over the row
/// takes few steps. Neighbouring threads have neighbouring elements. On a host Kokkos chooses the team size.
inline Teams teams_of_rows(Space const& exec, Index count, Index columns) {
  const int league = static_cast<int>(count);
  if constexpr (!on_device) return Teams(exec, league, Kokkos::AUTO);
  constexpr int fewest = 64, most = 512;
  int threads = fewest;
  while (threads < most && threads * 8 <= columns) threads *= 2;
  return Teams(exec, league, threads);
}

}  // namespace ddproxy::kernels
