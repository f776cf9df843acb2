// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "miniapp/app/step_session.hpp"
#include "miniapp/input/step_strategy.hpp"
#include "miniapp/machine/interruption.hpp"
#include "miniapp/predict/step_prediction.hpp"
#include "model/predict/graph/live_memory.hpp"
#include "model/predict/graph/whole_step_costs.hpp"
#include "results/output/standard_streams.hpp"

namespace ddproxy {
namespace {

model::Contention contention_of_runs(std::vector<ContentionSample> const& runs) {
  std::vector<model::SpeedSamples> speeds;
  for (auto const& run : runs) speeds.push_back(samples_of(run));
  return model::contention_of(speeds);
}

// Returns the seconds that each task takes while no communication runs, [task].
std::vector<double> seconds_of(model::StepCosts const& costs) {
  std::vector<double> seconds;
  for (auto const& task : costs.tasks.front()) seconds.push_back(task.seconds);
  return seconds;
}

}  // namespace

// Derives the tables of the prediction from the samples. After that only the file holds the samples.
void StepSession::keep_tables(StepTables const& tables) {
  auto const& rank = context_.rank;
  table_ = rank.reduces() ? model::TableCost(to_table(tables.allreduce)) : input_cost(rank.config).value();
  verbs_ = rank.reduces() ? tables.measured() : replayed_tables(rank.config);
  contention_ = contention_of_runs(tables.contention);
}

// Returns the costs of a step. `seconds` has the result of time_tasks(); it is not used if compute is
// replayed.
model::StepCosts StepSession::costs_of(model::RankGraphs const& step, std::vector<double> const& seconds,
                                       model::Contention const& contention) const {
  auto const& rank = context_.rank;
  const auto collectives = collective_costs().costs;
  if (context_.kernels) return model::measured_step_costs(step, seconds, collectives, contention);
  return model::whole_step_costs(step, rank.workload.pass, *context_.phases, collectives, contention,
                                 rank.copies);
}

// Returns the costs of the step's collectives, as functions of the bytes of elements in fp32.
VerbCosts StepSession::collective_costs() const {
  auto const& rank = context_.rank;
  if (context_.own_lanes.empty()) {
    VerbCosts one;
    one.costs.set(model::Verb::all_reduce, of_gradients(*table_, rank.workload.wire));
    return one;
  }
  return verb_costs(context_.graphs, verbs_, rank.config.ranks_per_node);
}

// Runs steps without communication and returns the measured seconds of each task, [task]. Returns an empty
// list for a replay, because the times of its tasks are known.
std::vector<double> StepSession::time_tasks() {
  if (!context_.kernels) return {};
  say("timing the tasks of the step alone");
  for (int i = 0; i < std::max(3, context_.rank.config.samples); ++i) {
    stop_where_signalled(context_.rank.runtime);
    meter_.alone();
  }
  return meter_.task_seconds();
}

void StepSession::predict() {
  auto const& rank = context_.rank;
  const auto seconds = time_tasks();
  if (!root()) return;
  const auto step = costed_step_of(rank.config, context_.asked, static_cast<std::size_t>(rank.ranks()));
  for (auto const& warning : collective_costs().warnings) results::say_error("warning: " + warning);
  const auto costs = costs_of(step, seconds, {});
  auto const& graph = step.classes.front().graph;
  predictions_.uncontended = model::whole_step_time(step, costs);
  predictions_.contended = model::whole_step_time(step, costs_of(step, seconds, contention_));
  if (!context_.kernels)
    hypothetical_ = hypothetical_note(
        {model::live_memory(graph, predictions_.contended.trace).peak, rank.config.device_memory});
  figures_.kinds = kind_seconds(graph, rank.workload.pass, seconds_of(costs));
  recorder_->step_kinds(figures_.kinds);
  recorder_->cost_table(table_->table());
  recorder_->flush();
}

}  // namespace ddproxy
