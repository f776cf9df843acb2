// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>

#include "model/step/step_graph.hpp"

namespace ddproxy::model {

/// How much one rank communicates in a step with one verb (all_reduce, send, ...; step_graph.hpp).
struct Volume {
  std::size_t calls = 0;   ///< number of calls
  std::int64_t bytes = 0;  ///< sum of the sizes x of all calls, in bytes of the wire format; x is the size of
                           ///< the whole vector, also for reduce_scatter and all_gather
  double bytes_sent = 0;   ///< bytes that the rank sends with the algorithms of sent_share()
  std::int64_t padding = 0;  ///< the part of `bytes` that belongs to no tensor
};

/// Returns the volume of each verb, for one rank of the class `rank_class`. All ranks of a class have the
/// same graph (RankClass, step_graph.hpp), so they have the same volume.
std::map<Verb, Volume> wire_volume(RankGraphs const& step, std::size_t rank_class);

/// Returns the share of the size x that one of n ranks must send: 2(n-1)/n for all_reduce, (n-1)/n for
/// reduce_scatter and all_gather, 1 for broadcast and send, 0 for receive. nccl-tests uses the same factors
/// for its "bus bandwidth" (doc/PERFORMANCE.md).
double sent_share(Verb verb, std::size_t ranks);

}  // namespace ddproxy::model
