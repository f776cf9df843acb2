// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/predict/graph/whole_step_costs.hpp"

#include <stdexcept>
#include <string>

#include "model/predict/graph/ddp_costs.hpp"
#include "model/transformer/tensor_layout.hpp"

namespace ddproxy::model {
namespace {

/// The elements of the gradients that a task reads or writes.
std::int64_t gradients_of(Task const& task) {
  std::int64_t sum = 0;
  for (Access const& access : task.accesses) {
    if (access.content == Content::gradient) sum += static_cast<std::int64_t>(access.slice.count);
  }
  return sum;
}

double seconds_of(Task const& task, Compute const& compute, PhaseCosts const& phases) {
  const auto of_parameters = [&](auto const& seconds) { return seconds ? seconds(gradients_of(task)) : 0.0; };
  const std::size_t o = index(compute.op);
  switch (compute.phase) {
    case Phase::forward:
      return phases.forward[o];
    case Phase::recompute:
      return phases.recompute.empty() ? phases.forward[o] : phases.recompute[o];
    case Phase::backward:
      return phases.backward[o];
    case Phase::norm:
      return of_parameters(phases.norm);
    case Phase::clip:
      return of_parameters(phases.clip);
    case Phase::update:
      return of_parameters(phases.update);
  }
  throw std::logic_error("step costs: unknown phase");
}

void check_times(BackwardPass const& pass, std::vector<double> const& seconds, std::string const& phase) {
  if (seconds.size() == pass.operations.size()) return;
  throw std::invalid_argument("step costs: " + std::to_string(seconds.size()) + " times of " + phase +
                              " operators are given, but the model has " +
                              std::to_string(pass.operations.size()) + " operators");
}

}  // namespace

StepCosts whole_step_costs(RankGraphs const& step, BackwardPass const& pass, PhaseCosts const& phases,
                           AllreduceCost const& cost, Contention const& contention, Copies const& copies) {
  check_times(pass, phases.forward, "forward");
  check_times(pass, phases.backward, "backward");
  if (!phases.recompute.empty()) check_times(pass, phases.recompute, "recompute");
  const TensorLayout layout(pass);
  CostModel model{.seconds = [&](std::size_t, Task const& task) {
    auto const* compute = std::get_if<Compute>(&task.work);
    return compute ? seconds_of(task, *compute, phases)
                   : copy_seconds(task.accesses.front().slice, layout, copies);
  }};
  model.collectives.set(Verb::all_reduce, cost);
  model.contention = contention;
  return step_costs(step, model);
}

}  // namespace ddproxy::model
