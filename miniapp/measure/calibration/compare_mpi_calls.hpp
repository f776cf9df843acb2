// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "miniapp/measure/pass/rank_context.hpp"

namespace ddproxy {

/// The times of the blocking and of the nonblocking MPI call for one message size, in seconds. Each is the
/// median over samples of the maximum over the ranks.
struct MpiCallTimes {
  std::int64_t bytes = 0;                ///< on the wire
  double blocking = 0, nonblocking = 0;  ///< one all-reduce alone
  /// Compute and a row of all-reduces start together: the time from the start until both have ended. The
  /// compute is the same for both MPI calls. 0: not measured.
  double beside_blocking = 0, beside_nonblocking = 0;
  bool certain = true;  ///< while compute ran, the same MPI call was faster in every pair of measurements
};

/// Returns whether the blocking MPI call is better than the nonblocking one. Let A be the one that is faster
/// without compute, and B the other one. A is better, with one exception. B is better if it was faster than A
/// in every pair of measurements while compute ran, and if the median time of A was then more than 3 % longer
/// than that of B.
bool prefers_blocking(MpiCallTimes const& times);

/// Measures both MPI calls alternately, first without compute. If operators compute on the host, also
/// measures both while compute runs. The message sizes rise from 1 KiB to the smallest of these: a piece, the
/// arena, and 64 MiB. Rank 0 chooses for each size, and the chosen MPI calls are the same on all ranks.
/// `own_core` tells whether this rank's communication thread has a core that no compute thread uses.
/// Overwrites the arena. Collective.
MpiCallChoice compare_mpi_calls(RankContext& context, bool own_core);

}  // namespace ddproxy
