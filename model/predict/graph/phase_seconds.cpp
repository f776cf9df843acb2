// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/predict/graph/phase_seconds.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace ddproxy::model {
namespace {

void check_tasks(StepGraph const& graph, StepTrace const& trace) {
  if (trace.tasks.size() == graph.tasks.size()) return;
  throw std::invalid_argument("phases: the trace has " + std::to_string(trace.tasks.size()) +
                              " tasks, but the graph has " + std::to_string(graph.tasks.size()));
}

double& sum_of(Phase phase, PhaseSeconds& sums) {
  switch (phase) {
    case Phase::forward:
      return sums.forward;
    case Phase::recompute:
      return sums.recompute;
    case Phase::backward:
      return sums.backward;
    case Phase::norm:
    case Phase::clip:
      return sums.clip;
    case Phase::update:
      return sums.update;
  }
  throw std::logic_error("phases: unknown phase");
}

}  // namespace

PhaseSeconds phase_seconds(StepGraph const& graph, StepTrace const& trace) {
  double end = 0;
  for (TaskTimes const& times : trace.tasks) end = std::max(end, times.end);
  return phase_seconds(graph, trace, end);
}

PhaseSeconds phase_seconds(StepGraph const& graph, StepTrace const& trace, double step_end) {
  check_tasks(graph, trace);
  PhaseSeconds sums{.step = step_end};
  for (std::size_t t = 0; t < graph.tasks.size(); ++t) {
    Task const& task = graph.tasks[t];
    const double seconds = trace.tasks[t].end - trace.tasks[t].start;
    if (task.lane != Lane{}) continue;
    if (auto const* compute = std::get_if<Compute>(&task.work)) sum_of(compute->phase, sums) += seconds;
    if (std::holds_alternative<Copy>(task.work)) sums.copies += seconds;
    if (std::holds_alternative<HostWait>(task.work)) sums.host_waits += seconds;
  }
  sums.waiting = sums.step - sums.compute() - sums.copies;
  return sums;
}

}  // namespace ddproxy::model
