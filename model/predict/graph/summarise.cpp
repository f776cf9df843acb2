// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/predict/graph/summarise.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace ddproxy::model {
namespace {

bool is_copy_out(Task const& task) {
  auto const* copy = std::get_if<Copy>(&task.work);
  return copy && copy->kind == CopyKind::out_of_bucket;
}

void add(Summary& summary, Task const& task, TaskTimes const& times) {
  const double seconds = times.end - times.start;
  summary.total = std::max(summary.total, times.end);
  if (std::holds_alternative<Compute>(task.work)) summary.compute_alone += seconds;
  if (!std::holds_alternative<HostWait>(task.work)) summary.lane_busy[task.lane] += seconds;
  if (task.lane.kind == LaneKind::compute && !is_copy_out(task))
    summary.compute_end = std::max(summary.compute_end, times.end);
}

}  // namespace

Summary summarise(StepGraph const& graph, StepTrace const& trace, SummaryBasis const& basis) {
  if (trace.tasks.size() != graph.tasks.size()) {
    throw std::invalid_argument("summarise: the trace has " + std::to_string(trace.tasks.size()) +
                                " tasks, but the graph has " + std::to_string(graph.tasks.size()));
  }
  Summary summary;
  for (std::size_t t = 0; t < graph.tasks.size(); ++t) add(summary, graph.tasks[t], trace.tasks[t]);
  summary.total = basis.total.value_or(summary.total);
  summary.compute_alone = basis.compute_alone.value_or(summary.compute_alone);
  summary.exposed = summary.total - summary.compute_alone;
  summary.slowdown = summary.compute_end - summary.compute_alone;
  summary.tail = summary.total - summary.compute_end;
  summary.bubble = summary.total - summary.lane_busy[Lane{}];
  summary.memory = live_memory(graph, trace);
  return summary;
}

}  // namespace ddproxy::model
