// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/input/step_strategy.hpp"
#include "miniapp/input/workload.hpp"
#include "miniapp/predict/account/memory.hpp"
#include "model/predict/graph/simulate_step.hpp"
#include "model/predict/graph/step_costs.hpp"
#include "model/step/describe.hpp"

namespace ddproxy {
namespace {

// The machine of the timeline if the input describes none: an accelerator of usual speed. The timeline always
// uses the nominal link.
constexpr model::Machine nominal{.peak_flops = 100e12, .bandwidth = 1.5e12, .efficiency = 0.5};
constexpr double nominal_link = 100e9;  // bytes/s

model::Machine machine_of(Config const& config) {
  const bool known = config.machine.peak_flops > 0 && config.machine.bandwidth > 0;
  return known ? config.machine : nominal;
}

std::int64_t gradients_of(model::Task const& task) {
  std::int64_t sum = 0;
  for (auto const& access : task.accesses)
    if (access.content == model::Content::gradient) sum += static_cast<std::int64_t>(access.slice.count);
  return sum;
}

model::StepTrace trace_of(MemoryModel const& model, model::RankGraphs const& step, model::Tokens tokens) {
  Config const& config = model.config;
  const model::Machine machine = machine_of(config);
  const auto phases =
      model::modelled_phases(config.shape, model.pass, tokens, machine, 4, config.step.clip.has_value());
  model::CostModel costs{.seconds = [&](std::size_t, model::Task const& task) {
    if (auto const* compute = std::get_if<model::Compute>(&task.work))
      return task_seconds(phases, *compute, gradients_of(task));
    return 8.0 * static_cast<double>(task.accesses.front().slice.count) / machine.bandwidth;
  }};
  for (const model::Verb verb : model::all_verbs)
    costs.collectives.set(verb, [](std::int64_t bytes) { return static_cast<double>(bytes) / nominal_link; });
  return model::simulate(step, step_costs(step, costs)).classes.front().trace;
}

/// Returns the step of the input, sharded as `stage` says. On one rank nothing is divided.
model::Strategy sharded_step(Config const& config, model::BackwardPass const& pass, model::ShardStage stage,
                             int ranks) {
  Workload workload;
  workload.gradient_bytes = pass.gradients.bytes();
  model::Strategy how = step_to_run(config, workload);
  how.sharding = ranks == 1 ? model::Sharding{} : sharding_of(config, stage);
  if (model::way_of(stage).divided.any()) how.ddp.copies = model::CopyMode::none;  // sharded steps have none
  return how;
}

std::int64_t all_buffers(model::StepGraph const& graph) {
  std::int64_t sum = 0;
  for (auto const& buffer : graph.buffers)
    sum += static_cast<std::int64_t>(buffer.elements) * bytes_of(buffer.type);
  return sum;
}

}  // namespace

MemoryModel memory_model(Config const& config) {
  return {config, model::backward_pass(config.shape), model::forward_pass(config.shape)};
}

MemoryCase memory_case(Config const& config, MemoryMethod const& method, int ranks, std::int64_t batch) {
  return memory_case(memory_model(config), method, ranks, model::Tokens{batch, config.tokens.sequence});
}

MemoryCase memory_case(MemoryModel const& model, MemoryMethod const& method, int ranks,
                       model::Tokens tokens) {
  auto const& [config, pass, forward] = model;
  const model::Strategy how = sharded_step(config, pass, method.stage, ranks);
  model::RankGraphs step = model::whole_step(pass, forward, tokens.count(), how,
                                             static_cast<std::size_t>(ranks), model::RankClasses::first);
  const model::StepTrace trace = trace_of(model, step, tokens);
  const auto graph = model::in_format(std::move(step.classes.front().graph), pass, forward, method.format);
  const auto psi = static_cast<double>(parameters(pass));
  const auto group = sharding_of(config, method.stage).group;
  const double sharers = group > 0 ? static_cast<double>(group) : ranks;
  return {.method = method,
          .shard = shard_name(config, method.stage),
          .ranks = ranks,
          .moments = memory_moments(graph, trace),
          .closed = closed_state(method.stage, method.format, psi, sharers,
                                 how.ddp.copies != model::CopyMode::none),
          .buffers = all_buffers(graph)};
}

}  // namespace ddproxy
