// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/predict/graph/predict_strategy.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "model/predict/graph/ddp_costs.hpp"
#include "model/predict/graph/simulate_step.hpp"
#include "model/predict/graph/summarise.hpp"

namespace ddproxy::model {
namespace {

// A job has the ready times of the gradients but not the operators. So this pass has one operator for each
// gradient and one for the rest of the backward pass. They complete every gradient at its ready time.
struct StandIn {
  BackwardPass pass;
  std::vector<double> seconds;  // [operator]
};

StandIn stand_in(Job const& job) {
  StandIn stand;
  double before = 0;
  for (std::size_t g = 0; g < job.ready.size(); ++g) {
    stand.pass.operations.push_back({"gradient", "gradient", OperationKind::linear});
    stand.pass.gradients.push_back(
        {"gradient", "gradient", job.gradient_bytes[g] / gradient_element_bytes, g});
    stand.seconds.push_back(job.ready[g] - before);
    before = job.ready[g];
  }
  stand.pass.operations.push_back({"rest", "rest", OperationKind::linear});
  stand.seconds.push_back(std::max(0.0, job.t_compute - before));
  return stand;
}

Timeline timeline_of(StepGraph const& graph, StepTrace const& trace) {
  const Summary summary = summarise(graph, trace);
  Timeline timeline{summary.total, summary.compute_end, {}};
  for (std::size_t t = 0; t < graph.tasks.size(); ++t)
    if (std::holds_alternative<Collective>(graph.tasks[t].work))
      timeline.buckets.push_back({trace.tasks[t].start, trace.tasks[t].end});
  return timeline;
}

struct SimulatedStep {
  StepGraph graph;
  StepTrace trace;
};

SimulatedStep simulate_strategy(NamedStrategy const& strategy, Job const& job, Plan const& plan) {
  const StandIn stand = stand_in(job);
  const Copies copies = strategy.overlapped ? job.copies : Copies{};
  RankGraphs step = strategy.build(stand.pass, {plan, strategy.overlapped, copies.mode}, 2);
  if (const auto unfit = unfit_for_sweep(step); !unfit.empty())
    throw std::invalid_argument(std::string(strategy.name) + ": " + unfit);
  const StepCosts costs =
      ddp_costs(step, stand.pass, stand.seconds, job.cost, job.contention, copies, job.handover);
  StepTrace trace = simulate(step, costs).classes.front().trace;
  return {std::move(step.classes.front().graph), std::move(trace)};
}

}  // namespace

bool follows_recurrence(NamedStrategy const& strategy) {
  return strategy.build == ddp;
}

Timeline predict(NamedStrategy const& strategy, Job const& job, Plan const& plan) {
  if (!follows_recurrence(strategy)) return predict_by_graph(strategy, job, plan);
  if (strategy.overlapped) return simulate(job, plan);
  // Every bucket is ready when the backward pass has ended, and no compute runs during its all-reduce.
  const std::vector<double> ready(job.gradient_bytes.size(), job.t_compute);
  return simulate(ready, job.t_compute, plan, job.cost);
}

Timeline predict_by_graph(NamedStrategy const& strategy, Job const& job, Plan const& plan) {
  const SimulatedStep step = simulate_strategy(strategy, job, plan);
  return timeline_of(step.graph, step.trace);
}

LiveMemory predict_live_memory(NamedStrategy const& strategy, Job const& job, Plan const& plan) {
  const SimulatedStep step = simulate_strategy(strategy, job, plan);
  return live_memory(step.graph, step.trace);
}

}  // namespace ddproxy::model
