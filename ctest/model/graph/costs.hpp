// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>

#include "model/predict/graph/simulate_step.hpp"

namespace ddproxy::model {

/// Seconds of each Compute task by its phase; every other task takes none. A phase that is not listed takes
/// none.
inline CostModel phase_costs(std::map<Phase, double> const& seconds) {
  return {.seconds = [seconds](std::size_t, Task const& task) {
    auto const* compute = std::get_if<Compute>(&task.work);
    const auto found = compute ? seconds.find(compute->phase) : seconds.end();
    return found == seconds.end() ? 0.0 : found->second;
  }};
}

inline CollectiveCost always(double seconds) {
  return [seconds](std::int64_t) { return seconds; };
}

/// Gives each communication lane of `step` a link of its own.
inline std::map<Lane, std::size_t> own_links(RankGraphs const& step) {
  std::map<Lane, std::size_t> links;
  for (RankClass const& each : step.classes) {
    for (Task const& task : each.graph.tasks) {
      if (task.lane.kind == LaneKind::communication) links.try_emplace(task.lane, task.lane.number);
    }
  }
  return links;
}

inline double seconds_of(RankGraphs const& step, CostModel const& model) {
  return simulate(step, step_costs(step, model)).end();
}

}  // namespace ddproxy::model
