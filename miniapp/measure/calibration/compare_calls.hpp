// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "miniapp/measure/pass/rank_context.hpp"

namespace ddproxy {

/// Seconds of one message size by either call, medians of maxima over the ranks.
struct CallTimes {
  std::int64_t bytes = 0;                              ///< on the wire
  double blocking = 0, nonblocking = 0;                ///< one all-reduce alone
  double beside_blocking = 0, beside_nonblocking = 0;  ///< equal work and calls beside each other; 0: not run
  bool certain = true;  ///< of all pairs beside compute the same call ended earlier
};

/// Whether the blocking call is the better one: the faster one alone, unless the other one ends earlier
/// beside compute by more than 3 %, and in each pair of measurements.
bool prefers_blocking(CallTimes const& times);

/// Measures both calls in turns at sizes from 1 KiB to that of a piece, alone and, where operators compute on
/// the host, in a short overlapped pipeline; rank 0 chooses for each size and tells the others. `own_core`:
/// the communication threads have cores beside those that compute. Collective.
CallChoice compare_calls(RankContext& context, bool own_core);

}  // namespace ddproxy
