// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/types.hpp"

namespace ddproxy::kernels {

/// `count` teams, each of which goes through rows of `columns` elements. On a device a thread has about four
/// elements of a row, so that sums over it need few steps, and neighbours in a team have neighbouring
/// elements; on a host Kokkos chooses.
inline Teams teams_of_rows(Space const& exec, Index count, Index columns) {
  const int league = static_cast<int>(count);
  if constexpr (!on_device) return Teams(exec, league, Kokkos::AUTO);
  constexpr int fewest = 64, most = 512;
  int threads = fewest;
  while (threads < most && threads * 8 <= columns) threads *= 2;
  return Teams(exec, league, threads);
}

}  // namespace ddproxy::kernels
