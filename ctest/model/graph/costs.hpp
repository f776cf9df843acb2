// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <vector>

#include "model/predict/graph/simulate_step.hpp"
#include "model/step/graph_builder.hpp"

namespace ddproxy::model {

/// Returns costs in seconds by the phase of Compute tasks. Phases that are not listed, and copies, take no
/// time. Collectives have no costs; the caller sets them, otherwise step_costs() throws.
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

/// Returns the links of the communication lanes of `step`. No two lanes share a link.
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

/// Returns a graph with one compute task and an all-reduce of its result.
inline StepGraph compute_and_reduce(CommunicatorId on) {
  GraphBuilder builder;
  const BufferId gradient = builder.buffer({.kind = BufferKind::gradient, .elements = 1});
  builder.task({.work = Compute{OperatorId{0}, Phase::backward},
                .accesses = {{gradient, {0, 1}, AccessMode::assign, Content::gradient}}});
  builder.task({.work = Collective{Verb::all_reduce, on},
                .accesses = {{gradient, {0, 1}, AccessMode::modify, Content::gradient}},
                .lane = {LaneKind::communication, 0}});
  return builder.finish({});
}

/// Returns costs: a Compute task takes seconds[c] on ranks of class c, an all-reduce takes 2 s.
inline CostModel seconds_by_class(std::vector<double> seconds) {
  CostModel model{.seconds = [seconds](std::size_t c, Task const&) { return seconds[c]; }};
  model.collectives.set(Verb::all_reduce, always(2));
  return model;
}

}  // namespace ddproxy::model
