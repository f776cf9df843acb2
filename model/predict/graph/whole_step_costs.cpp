// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/predict/graph/whole_step_costs.hpp"

#include "model/predict/graph/ddp_costs.hpp"
#include "model/transformer/tensor_layout.hpp"

namespace ddproxy::model {
namespace {

/// Returns the number of gradient elements that a task reads or writes.
std::int64_t gradients_of(Task const& task) {
  std::int64_t sum = 0;
  for (Access const& access : task.accesses) {
    if (access.content == Content::gradient) sum += static_cast<std::int64_t>(access.slice.count);
  }
  return sum;
}

}  // namespace

StepCosts whole_step_costs(RankGraphs const& step, BackwardPass const& pass, PhaseCosts const& phases,
                           AllreduceCost const& cost, Contention const& contention, Copies const& copies) {
  check_times(phases, pass.operations.size());
  const TensorLayout layout(pass);
  CostModel model{.seconds = [&](std::size_t, Task const& task) {
    auto const* compute = std::get_if<Compute>(&task.work);
    return compute ? task_seconds(phases, *compute, gradients_of(task))
                   : copy_seconds(task.accesses.front().slice, layout, copies);
  }};
  model.collectives.set(Verb::all_reduce, cost);
  model.contention = contention;
  return step_costs(step, model);
}

StepCosts measured_step_costs(RankGraphs const& step, std::vector<double> const& task_seconds,
                              AllreduceCost const& cost, Contention const& contention) {
  Task const* const first = step.classes.front().graph.tasks.data();
  CostModel model{.seconds = [&, first](std::size_t, Task const& task) {
    return task_seconds.at(static_cast<std::size_t>(&task - first));
  }};
  model.collectives.set(Verb::all_reduce, cost);
  model.contention = contention;
  return step_costs(step, model);
}

}  // namespace ddproxy::model
