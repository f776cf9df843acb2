// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/predict/step_prediction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "model/predict/graph/simulate_step.hpp"
#include "model/predict/graph/whole_step_costs.hpp"
#include "model/transformer/forward_pass.hpp"

namespace ddproxy {
namespace {

constexpr double giga = 1e9;

void check_total(Case const& item, double seconds) {
  if (std::isfinite(seconds) && seconds > 0) return;
  throw std::invalid_argument(fmt::format(
      "predict: the whole step of {} takes {} s, which is not a time; check the units of [machine] "
      "and of the all-reduce table",
      item.name(), seconds));
}

}  // namespace

model::WholeStep strategy_of(Config const& config) {
  auto const& step = config.step;
  return {.plan = {},
          .copies = config.copies,
          .wire = config.wire == WireFormat::fp32 ? model::DataType::fp32 : model::DataType::bf16,
          .micro_batches = step.accumulation,
          .sync = step.sync,
          .clipped = step.clip.has_value(),
          .optimizer = step.optimizer,
          .checkpoint = step.checkpoint};
}

model::RankGraphs whole_step_of(Config const& config, Case const& item, model::WholeStep strategy,
                                std::size_t ranks) {
  strategy.plan = item.plan;
  strategy.overlapped = item.overlapped();
  if (!item.overlapped()) strategy.copies = model::CopyMode::none;
  return model::whole_step(model::backward_pass(config.shape), model::forward_pass(config.shape),
                           config.tokens.count(), strategy, ranks);
}

StepPrediction predict_step(Config const& config, model::WholeStep const& strategy,
                            model::PhaseCosts const& phases, model::Job const& job,
                            std::vector<Case> const& cases, int ranks) {
  const auto pass = model::backward_pass(config.shape);
  const std::int64_t batches = std::int64_t{strategy.micro_batches} * ranks;
  StepPrediction result{.strategy = strategy,
                        .ranks = ranks,
                        .sequences = config.tokens.batch * batches,
                        .tokens = config.tokens.count() * batches,
                        .memory = {0, config.device_memory},
                        .cases = {}};
  // a(x) and contention of a job take bytes of gradients in fp32, so the graph's wire is fp32 too
  model::WholeStep how = strategy;
  how.wire = model::DataType::fp32;
  how.copies = job.copies.mode;
  for (Case const& item : cases) {
    const auto step = whole_step_of(config, item, how, static_cast<std::size_t>(ranks));
    const auto costs = model::whole_step_costs(step, pass, phases, job.cost, job.contention, job.copies);
    const auto traces = model::simulate(step, costs);
    auto const& graph = step.classes.front().graph;
    auto const& trace = traces.classes.front().trace;
    const double total = traces.end();
    check_total(item, total);
    result.cases.push_back(
        {item, model::phase_seconds(graph, trace, total), total - model::compute_seconds(graph, costs, 0)});
    result.memory.peak = std::max(result.memory.peak, model::live_memory(graph, trace).peak);
  }
  return result;
}

std::string hypothetical_note(StepMemory const& memory) {
  if (!memory.hypothetical()) return "";
  return fmt::format(
      "hypothetical: the step needs {:.1f} GB on each rank, but a device has {:.1f} GB ([machine] memory); "
      "its "
      "times hold for a device of the same speed with more memory",
      static_cast<double>(memory.peak) / giga, memory.device / giga);
}

}  // namespace ddproxy
