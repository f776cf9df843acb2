// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "miniapp/measure/pass/rank_context.hpp"

namespace ddproxy {

/// The times of both calls for one message size, in seconds. Each is the median over samples of the maximum
/// over the ranks.
struct CallTimes {
  std::int64_t bytes = 0;                              ///< on the wire
  double blocking = 0, nonblocking = 0;                ///< one all-reduce alone
  double beside_blocking = 0, beside_nonblocking = 0;  ///< the same compute beside a row of calls; 0: not run
  bool certain = true;  ///< in all pairs of measurements beside compute the same call ended earlier
};

/// Returns whether the blocking call is better. It is if it is faster alone. But if the other call ends more
/// than 3 % earlier beside compute, and earlier in each pair of measurements, the other call is better.
bool prefers_blocking(CallTimes const& times);

/// Measures both calls in turns, alone and, if operators compute on the host, beside compute. The message
/// sizes go from 1 KiB to the size of a piece, and to 64 MiB at most. Rank 0 chooses for each size, and the
/// result is the same on all ranks. `own_core` tells whether the communication thread has a core beside those
/// that compute. Overwrites the arena. Collective.
CallChoice compare_calls(RankContext& context, bool own_core);

}  // namespace ddproxy
