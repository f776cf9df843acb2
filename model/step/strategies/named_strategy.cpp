// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/step/strategies/named_strategy.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "model/step/describe.hpp"

namespace ddproxy::model {

// Declares the functions that the table names.
#define DDPROXY_STRATEGY(name, buckets, overlapped, build) \
  RankGraphs build(BackwardPass const& pass, Ddp const& step, std::size_t ranks);
#include "model/step/strategies/table.inc"
#undef DDPROXY_STRATEGY

namespace {

constexpr NamedStrategy table[] = {
#define DDPROXY_STRATEGY(name, buckets, overlapped, build) {name, BucketRule::buckets, overlapped, build},
#include "model/step/strategies/table.inc"
#undef DDPROXY_STRATEGY
};

bool fits(RankGraphs const& graphs, Task const& task) {
  if (auto const* compute = std::get_if<Compute>(&task.work))
    return compute->phase == Phase::backward && compute->micro_batch == 0;
  if (auto const* collective = std::get_if<Collective>(&task.work))
    return collective->verb == Verb::all_reduce && collective->reduction == Reduction::average &&
           task.lane == Lane{LaneKind::communication, 0} &&
           index(collective->communicator) < graphs.communicators.size() &&
           graphs.communicators[index(collective->communicator)].groups.size() == 1;
  return !std::holds_alternative<std::vector<Collective>>(task.work);
}

/// Returns what does not fit a sweep, as the end of a sentence, or an empty text.
std::string misfit(RankGraphs const& graphs) {
  if (graphs.classes.size() != 1) return "its ranks have different graphs";
  StepGraph const& graph = graphs.classes.front().graph;
  for (Buffer const& buffer : graph.buffers) {
    const bool is_known = buffer.kind == BufferKind::gradient || buffer.kind == BufferKind::bucket;
    if (!is_known) return "it has a buffer of the kind " + std::string(name_of(buffer.kind));
    if (std::ranges::count(graph.buffers, buffer.kind, &Buffer::kind) > 1)
      return "it has several buffers of the kind " + std::string(name_of(buffer.kind));
  }
  const auto task =
      std::ranges::find_if_not(graph.tasks, [&](Task const& each) { return fits(graphs, each); });
  return task == graph.tasks.end() ? "" : "it has the task " + describe(*task);
}

}  // namespace

std::string unfit_for_sweep(RankGraphs const& graphs) {
  const std::string what = misfit(graphs);
  if (what.empty()) return "";
  return "a strategy of a sweep can only run the backward pass and average gradients by all-reduces of all "
         "ranks on communication lane 0, with one buffer of gradients and one of buckets, but " +
         what + "; docs/steps.md (\"A way of sharding\") says how to add other steps";
}

std::span<NamedStrategy const> strategies() {
  return table;
}

NamedStrategy const* find_strategy(std::string_view name) {
  const auto found = std::ranges::find(table, name, &NamedStrategy::name);
  return found == std::end(table) ? nullptr : &*found;
}

NamedStrategy const& strategy_named(std::string_view name) {
  if (auto const* found = find_strategy(name)) return *found;
  throw std::invalid_argument("there is no strategy '" + std::string(name) +
                              "'; use one of these: " + list_strategies());
}

std::string list_strategies() {
  std::string list;
  for (NamedStrategy const& one : table) list += (list.empty() ? "" : ", ") + std::string(one.name);
  return list;
}

}  // namespace ddproxy::model
