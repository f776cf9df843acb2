// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/step/strategies/ddp.hpp"

namespace ddproxy::model {

/// A wrong strategy for a test. It never reduces every second bucket, so its step must be refused.
RankGraphs lost_half(BackwardPass const& pass, Ddp const& step, std::size_t ranks) {
  Ddp half = step;
  std::size_t buckets = 0;
  std::erase_if(half.plan, [&](Bucket const&) { return buckets++ % 2 == 1; });
  return ddp(pass, half, ranks);
}

}  // namespace ddproxy::model
