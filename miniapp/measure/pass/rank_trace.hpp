// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "miniapp/collectives/drivers/allreduce.hpp"
#include "miniapp/compute/witness.hpp"
#include "miniapp/machine/runtime.hpp"
#include "miniapp/measure/pass/pipeline.hpp"

namespace ddproxy {

/// What one rank did in one pass, in seconds from the start of its pass.
struct RankTrace {
  std::vector<double> operation_end;
  std::vector<model::Interval> buckets;
};

/// Of a pass that is over, on this rank.
RankTrace trace_of(PassTimes const& times, Witness const& witness, std::vector<ReducedBucket> const& buckets);

/// Collective; on rank 0 one trace a rank, empty elsewhere and where there is none. Each rank's has as many
/// operations and reductions.
std::vector<RankTrace> gather_traces(Runtime const& runtime, RankTrace const& mine);

}  // namespace ddproxy
