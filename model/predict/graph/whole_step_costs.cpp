// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/predict/graph/whole_step_costs.hpp"

#include "model/predict/graph/ddp_costs.hpp"

namespace ddproxy::model {
namespace {

/// Returns the number of gradient elements of one rank that a task reads or writes.
std::int64_t gradients_of(RankGraphs const& step, Task const& task) {
  std::size_t sum = 0;
  for (Access const& access : task.accesses) {
    if (access.content != Content::gradient) continue;
    const std::size_t parts = access.part ? step.communicators[index(*access.part)].groups.front().size() : 1;
    sum += access.slice.count / parts;
  }
  return static_cast<std::int64_t>(sum);
}

CollectiveCosts all_reduces(AllreduceCost const& cost) {
  CollectiveCosts costs;
  costs.set(Verb::all_reduce, cost);
  return costs;
}

}  // namespace

StepCosts whole_step_costs(RankGraphs const& step, BackwardPass const& pass, PhaseCosts const& phases,
                           AllreduceCost const& cost, Contention const& contention, Copies const& copies) {
  return whole_step_costs(step, pass, phases, all_reduces(cost), contention, copies);
}

StepCosts whole_step_costs(RankGraphs const& step, BackwardPass const& pass, PhaseCosts const& phases,
                           CollectiveCosts const& collectives, Contention const& contention,
                           Copies const& copies) {
  check_times(phases, pass.operations.size());
  CostModel model{.seconds = [&](std::size_t, Task const& task) {
    auto const* compute = std::get_if<Compute>(&task.work);
    return compute ? task_seconds(phases, *compute, gradients_of(step, task))
                   : copy_seconds(task.accesses.front().slice, pass.gradients, copies);
  }};
  model.collectives = collectives;
  model.contention = contention;
  return step_costs(step, model);
}

StepCosts measured_step_costs(RankGraphs const& step, std::vector<double> const& task_seconds,
                              AllreduceCost const& cost, Contention const& contention) {
  return measured_step_costs(step, task_seconds, all_reduces(cost), contention);
}

StepCosts measured_step_costs(RankGraphs const& step, std::vector<double> const& task_seconds,
                              CollectiveCosts const& collectives, Contention const& contention) {
  CostModel model{.seconds = [&](std::size_t rank_class, Task const& task) {
    Task const* const first = step.classes[rank_class].graph.tasks.data();
    return task_seconds.at(static_cast<std::size_t>(&task - first));
  }};
  model.collectives = collectives;
  model.contention = contention;
  return step_costs(step, model);
}

}  // namespace ddproxy::model
