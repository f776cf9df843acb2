// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/step/wire_volume.hpp"

#include "model/step/describe.hpp"

namespace ddproxy::model {

double sent_share(Verb verb, std::size_t ranks) {
  const auto n = static_cast<double>(ranks);
  switch (verb) {
    case Verb::all_reduce:
      return 2 * (n - 1) / n;
    case Verb::reduce_scatter:
    case Verb::all_gather:
      return (n - 1) / n;
    case Verb::broadcast:
    case Verb::send:
      return 1;
    case Verb::receive:
      break;
  }
  return 0;
}

std::map<Verb, Volume> wire_volume(RankGraphs const& step, std::size_t rank_class) {
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
