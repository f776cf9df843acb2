// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "model/step/graph_builder.hpp"
#include "model/step/strategies/sharded_steps.hpp"

namespace ddproxy::model {
namespace {

bool is_update(Task const& task) {
  auto const* compute = std::get_if<Compute>(&task.work);
  return compute != nullptr && compute->phase == Phase::update;
}

/// Takes the graph of a step of ZeRO stage 1. Returns it with the updates in reverse order, each of them with
/// the collectives that follow it.
StepGraph with_reversed_updates(StepGraph graph) {
  GraphBuilder builder;
  for (Buffer const& buffer : graph.buffers) builder.buffer(buffer);
  const auto first = std::ranges::find_if(graph.tasks, is_update);
  for (auto task = graph.tasks.begin(); task != first; ++task) builder.task(std::move(*task));
  for (auto end = graph.tasks.end(); end != first;) {
    const auto begin =
        std::find_if(std::make_reverse_iterator(end), graph.tasks.rend(), is_update).base() - 1;
    for (auto task = begin; task != end; ++task) {
      task->after.clear();  // the builder adds what the data imply
      builder.task(std::move(*task));
    }
    end = begin;
  }
  return builder.finish(std::move(graph.expected));
}

}  // namespace

/// A way of sharding that exists only for a test. It shows what a new one needs: this file and one row of
/// shard_table.inc. It is ZeRO stage 1, but the last bucket is updated first. The last bucket has the
/// gradients of the parameters that the next forward pass reads first. So these parameters are gathered
/// first.
RankGraphs reversed_step(BackwardPass const& pass, ForwardPass const& forward, std::int64_t tokens,
                         Strategy const& strategy, std::size_t ranks, RankClasses classes) {
  RankGraphs graphs = zero_step(pass, forward, tokens, strategy, ranks, classes);
  for (RankClass& each : graphs.classes) each.graph = with_reversed_updates(std::move(each.graph));
  return graphs;
}

}  // namespace ddproxy::model
