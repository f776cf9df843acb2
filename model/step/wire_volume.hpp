// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>

#include "model/step/step_graph.hpp"

namespace ddproxy::model {

/// The volume of one rank's collectives of one verb in a step.
struct Volume {
  std::size_t calls = 0;
  std::int64_t bytes = 0;    ///< sum of the full sizes x of all calls, in the format on the wire
  double bytes_sent = 0;     ///< by one rank, with algorithms that send least: see sent_share()
  std::int64_t padding = 0;  ///< the part of `bytes` that belongs to no tensor
};

/// Returns the volume of each verb, for one rank of a class.
std::map<Verb, Volume> wire_volume(RankGraphs const& step, std::size_t rank_class);

/// Returns the share of the size x that one of n ranks must send: 2(n-1)/n for all_reduce, (n-1)/n for
/// reduce_scatter and all_gather, 1 for broadcast and send, 0 for receive. nccl-tests uses the same factors
/// for its "bus bandwidth" (doc/PERFORMANCE.md).
double sent_share(Verb verb, std::size_t ranks);

}  // namespace ddproxy::model
