// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "miniapp/measure/pass/rank_context.hpp"

namespace ddproxy {

/// The times of the blocking and of the nonblocking call for one message size, in seconds. Each is the median
/// over samples of the maximum over the ranks.
struct CallTimes {
  std::int64_t bytes = 0;                ///< on the wire
  double blocking = 0, nonblocking = 0;  ///< one all-reduce alone
  /// Compute and a row of all-reduces start together: the time from the start until both have ended. The
  /// compute is the same for both calls. 0: not measured.
  double beside_blocking = 0, beside_nonblocking = 0;
  bool certain = true;  ///< while compute ran, the same call ended earlier in all pairs of measurements
};

/// Returns whether the blocking call is better than the nonblocking one. The call that is faster without
/// compute is better, with one exception. The other call is better if two conditions hold while compute runs:
/// it ended earlier in each pair of measurements, and the median time of the first call is more than 3 %
/// longer.
bool prefers_blocking(CallTimes const& times);

/// Measures both calls alternately, first without compute. If operators compute on the host, also measures
/// both calls while compute runs. The message sizes rise from 1 KiB to the smallest of these: a piece, all
/// gradients, and 64 MiB. Rank 0 chooses for each size, and the result is the same on all ranks. `own_core`
/// tells whether the communication thread has a core that no compute thread uses. Overwrites the arena.
/// Collective.
CallChoice compare_calls(RankContext& context, bool own_core);

}  // namespace ddproxy
