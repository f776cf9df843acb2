// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/step/graph_builder.hpp"
#include "model/step/strategies/ddp.hpp"

namespace ddproxy::model {
namespace {

/// Adds an in-place reduce-scatter and an in-place all-gather, which replace the all-reduce `task`.
void add_halves(GraphBuilder& builder, Task const& task) {
  Access whole = task.accesses.front(), part = whole;
  part.part = CommunicatorId{0};
  auto work = std::get<Collective>(task.work);
  whole.mode = AccessMode::read;
  part.mode = AccessMode::assign;
  work.verb = Verb::reduce_scatter;
  builder.task({.work = work, .accesses = {whole, part}, .lane = task.lane});
  whole.mode = AccessMode::assign;
  part.mode = AccessMode::read;
  work.verb = Verb::all_gather;
  builder.task({.work = work, .accesses = {part, whole}, .lane = task.lane});
}

}  // namespace

/// A correct step in which a reduce-scatter and an all-gather average each bucket. A sweep can neither
/// run nor predict such a step, so it must refuse the strategy.
RankGraphs scattered(BackwardPass const& pass, Ddp const& step, std::size_t ranks) {
  RankGraphs graphs = ddp(pass, step, ranks);
  StepGraph& graph = graphs.classes.front().graph;
  GraphBuilder builder;
  for (Buffer const& buffer : graph.buffers) builder.buffer(buffer);
  TaskId last{};  // the last task of the compute lane
  for (Task& task : graph.tasks) {
    task.after.clear();  // the builder adds what the data imply
    if (std::holds_alternative<Collective>(task.work)) {
      add_halves(builder, task);
      continue;
    }
    if (std::holds_alternative<HostWait>(task.work)) task.after = {last};
    last = builder.task(std::move(task));
  }
  graph = builder.finish(std::move(graph.expected));
  return graphs;
}

}  // namespace ddproxy::model
