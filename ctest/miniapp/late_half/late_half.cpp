// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <utility>
#include <vector>

#include "model/step/graph_builder.hpp"
#include "model/step/strategies/ddp.hpp"

namespace ddproxy::model {

/// A strategy that exists only for a test. It averages as ddp() does, but every second bucket waits for the
/// end of the backward pass. It cannot copy averages out of the buckets (copies = "in+out"), because a late
/// all-reduce would come after its copy.
RankGraphs late_half(BackwardPass const& pass, Ddp const& step, std::size_t ranks) {
  RankGraphs graphs = ddp(pass, step, ranks);
  StepGraph& graph = graphs.classes.front().graph;
  GraphBuilder builder;
  for (Buffer const& buffer : graph.buffers) builder.buffer(buffer);
  std::vector<Task> late;
  std::size_t buckets = 0;
  TaskId last{};  // the last task of the compute lane
  for (Task& task : graph.tasks) {
    const bool reduces = std::holds_alternative<Collective>(task.work);
    task.after.clear();  // the builder adds what the data imply
    if (std::holds_alternative<HostWait>(task.work)) task.after = {last};
    if (reduces && buckets++ % 2 == 1) {
      late.push_back(std::move(task));
      continue;
    }
    const TaskId id = builder.task(std::move(task));
    if (!reduces) last = id;
  }
  for (Task& task : late) {
    task.after = {last};
    builder.task(std::move(task));
  }
  graph = builder.finish(std::move(graph.expected));
  return graphs;
}

}  // namespace ddproxy::model
