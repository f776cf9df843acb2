// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>

#include "model/step/step_graph.hpp"

namespace ddproxy::model {

/// What one rank's collectives of a verb amount to in a step.
struct Volume {
  std::size_t calls = 0;
  std::int64_t bytes = 0;    ///< the sum of x, the full sizes, of the elements as they are on the wire
  double bytes_sent = 0;     ///< by one rank, by the algorithms that send least; see sent_share()
  std::int64_t padding = 0;  ///< of `bytes`: elements that no tensor fills
};

/// Returns what each verb of a class of ranks amounts to.
std::map<Verb, Volume> wire_volume(RankGraphs const& step, std::size_t rank_class);

/// Returns the share of x that one of n ranks must send: all_reduce 2(n-1)/n, reduce_scatter and all_gather
/// (n-1)/n, broadcast and send 1, receive 0. These are the factors of "bus bandwidth" in nccl-tests
/// (doc/PERFORMANCE.md).
double sent_share(Verb verb, std::size_t ranks);

}  // namespace ddproxy::model
