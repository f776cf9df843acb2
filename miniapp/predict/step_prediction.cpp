// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/predict/step_prediction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "miniapp/input/step_strategy.hpp"
#include "miniapp/input/units.hpp"
#include "miniapp/input/words.hpp"
#include "model/predict/graph/summarise.hpp"
#include "model/predict/graph/whole_step_costs.hpp"

namespace ddproxy {
namespace {

void check_total(Case const& item, double seconds) {
  if (std::isfinite(seconds) && seconds > 0) return;
  throw std::invalid_argument(fmt::format(
      "predict: the whole step of {} takes {} s, which is not a time; check the units of [machine] "
      "and of the all-reduce table",
      item.name(), seconds));
}

VerbCosts collective_costs(Config const& config, model::Strategy const& how, model::Job const& job, int ranks,
                           VerbTables const& tables, int ranks_per_node) {
  if (tables && how.sharding.way().divided.any())
    return verb_costs(whole_step_of(config, how, static_cast<std::size_t>(ranks)), tables, ranks_per_node);
  VerbCosts only;
  only.costs.set(model::Verb::all_reduce, job.cost);
  return only;
}

}  // namespace

StepPrediction predict_step(Config const& config, model::Strategy const& strategy,
                            model::PhaseCosts const& phases, model::Job const& job,
                            std::vector<Case> const& cases, int ranks, VerbTables const& tables,
                            int ranks_per_node) {
  const auto pass = model::backward_pass(config.shape);
  const std::int64_t batches = std::int64_t{strategy.micro_batches} * ranks;
  StepPrediction result{.strategy = strategy,
                        .ranks = ranks,
                        .sequences = config.tokens.batch * batches,
                        .tokens = config.tokens.count() * batches,
                        .memory = {0, config.device_memory},
                        .cases = {}};
  model::Strategy how = strategy;
  const bool has_units = strategy.sharding.way().has_units;
  for (Case const& item : cases) {
    if (has_units && !result.cases.empty()) break;
    how.ddp = ddp_of(item, job.copies.mode, config.wire);
    const auto costs = collective_costs(config, how, job, ranks, tables,
                                        ranks_per_node > 0 ? ranks_per_node : config.ranks_per_node);
    const auto step = costed_step_of(config, how, static_cast<std::size_t>(ranks));
    auto time = model::whole_step_time(
        step, model::whole_step_costs(step, pass, phases, costs.costs, job.contention, job.copies));
    check_total(item, time.phases.step);
    const auto summary =
        model::summarise(step.classes.front().graph, time.trace, {.total = time.phases.step});
    const auto peak = summary.memory.peak;
    result.memory.peak = std::max(result.memory.peak, peak);
    result.warnings = costs.warnings;
    const auto name =
        has_units ? fmt::format("unit {}", word_of(how.sharding.unit, shard_unit_words)) : item.name();
    result.cases.push_back({item, std::move(time), peak, name, summary.bubble, summary.lane_busy});
  }
  return result;
}

std::string hypothetical_note(StepMemory const& memory) {
  if (!memory.hypothetical()) return "";
  return fmt::format(
      "hypothetical: the step needs {:.1f} GB of device memory on each rank, but a device has {:.4g} GB "
      "([machine] memory). The times hold for a device of the same speed with more memory",
      static_cast<double>(memory.peak) / giga, memory.device / giga);
}

}  // namespace ddproxy
