// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>

#include "model/step/describe.hpp"
#include "model/step/sent_share.hpp"

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
inline std::map<Verb, Volume> wire_volume(RankGraphs const& step, std::size_t rank_class) {
  std::map<Verb, Volume> volumes;
  for (Task const& task : step.classes[rank_class].graph.tasks) {
    const auto collectives = collectives_of(task);
    for (std::size_t i = 0; i < collectives.size(); ++i) {
      Collective const& each = collectives[i];
      const auto bytes = static_cast<std::int64_t>(full_elements(step, task, i)) * bytes_of(each.wire);
      Volume& volume = volumes[each.verb];
      ++volume.calls;
      volume.bytes += bytes;
      volume.bytes_sent +=
          static_cast<double>(bytes) *
          sent_share(each.verb, step.communicators[index(each.communicator)].groups.front().size());
      Access const& full = task.accesses[each.verb == Verb::all_gather ? 1 : i];
      volume.padding += static_cast<std::int64_t>(full.padding) * bytes_of(each.wire);
    }
  }
  return volumes;
}

}  // namespace ddproxy::model
