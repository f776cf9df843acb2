// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/input/step_strategy.hpp"

#include <stdexcept>
#include <string>

#include "miniapp/input/cases.hpp"
#include "miniapp/input/memory_need.hpp"

namespace ddproxy {

model::WholeStep strategy_of(Config const& config) {
  auto const& step = config.step;
  return {.ddp = {.overlapped = config.progress != Progress::none,
                  .copies = config.copies,
                  .wire = data_type_of(config.wire)},
          .micro_batches = step.accumulation,
          .sync = step.sync,
          .clipped = step.clip.has_value(),
          .optimizer = step.optimizer,
          .checkpoint = step.checkpoint};
}

void check_can_step(Config const& config) {
  const auto refuse = [&](std::string const& why) {
    throw std::invalid_argument(config.file.string() + ": " + why);
  };
  if (!config.times.empty())
    refuse(
        "[compute] times: such a table has only the backward pass, and a whole step has more; remove this "
        "key, and give [machine] peak_flops and bandwidth");
  if (builds_for_device() && config.compute == ComputeMode::replay && needs_arena(config))
    refuse(
        "[compute] mode = \"replay\": replayed steps cannot occupy a device beside real all-reduces; set "
        "[allreduce] backend = \"replay\" with table and ranks, or mode = \"kernels\"");
}

double step_cap_mib(Config const& config) {
  return config.caps_mib == default_caps_mib ? common_cap_mib : config.caps_mib.front();
}

model::WholeStep step_to_run(Config const& config, Workload const& workload) {
  const std::int64_t cap = to_bytes(step_cap_mib(config));
  const std::int64_t caps[] = {first_bucket_of(config).value_or(cap), cap};
  model::WholeStep step = strategy_of(config);
  step.ddp.plan = model::bucketed_plan(workload.gradient_bytes, caps);
  return step;
}

model::RankGraphs whole_step_of(Config const& config, model::WholeStep const& strategy, std::size_t ranks) {
  return model::whole_step(model::backward_pass(config.shape), model::forward_pass(config.shape),
                           config.tokens.count(), strategy, ranks);
}

model::RankGraphs costed_step_of(Config const& config, model::WholeStep strategy, std::size_t ranks) {
  strategy.ddp.wire = data_type_of(WireFormat::fp32);
  return whole_step_of(config, strategy, ranks);
}

}  // namespace ddproxy
