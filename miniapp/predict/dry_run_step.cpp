// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>

#include "miniapp/input/cases.hpp"
#include "miniapp/input/results_need.hpp"
#include "miniapp/input/step_strategy.hpp"
#include "miniapp/input/unit_memory.hpp"
#include "miniapp/input/units.hpp"
#include "miniapp/input/verb_costs.hpp"
#include "miniapp/input/words.hpp"
#include "miniapp/predict/dry_run.hpp"
#include "miniapp/predict/step_prediction.hpp"
#include "model/predict/graph/live_memory.hpp"
#include "model/predict/graph/whole_step_costs.hpp"

namespace ddproxy {
namespace {

std::string describe_memory(Config const& config, Workload const& workload, model::RankGraphs const& step) {
  const int concurrency = config.threads > 0 ? config.threads : likely_concurrency();
  auto const& graph = step.classes.front().graph;
  const auto places = step_places(config, workload, graph);
  const auto elements = allocated_elements(config, workload, places);
  const auto lanes = step_lanes(config, workload, places, step, graph);
  const auto buffers = step_buffers(config, elements, lanes, concurrency, memory_of_arrays(config));
  const MemoryNeed need = memory_need(config, buffers);
  if (need.device) return describe_device_memory(config, need) + describe_buffers(buffers);
  const int processes = config.backend == Backend::replay ? 1 : likely_ranks;
  return describe_host_memory(config, need.host + step_results_memory(config, workload, graph, processes)) +
         describe_buffers(buffers);
}

// Checks that each unit fits this machine. Does nothing if the input says how much memory a device has: the
// step may then be for another machine, and check_sharding() compares the units with that memory. Also does
// nothing in a build for a device and in a twin, whose units are not in the memory of this host.
void check_units_here(Config const& config, std::size_t ranks) {
  if (config.device_memory > 0 || builds_for_device() || !needs_arena(config)) return;
  UnitRoom room = room_of_host();
  room.whose += " (for another machine, give [machine] memory)";
  check_units(config, config.sharding, ranks, room);
}

std::string describe_buckets(model::Strategy const& step, double cap_mib) {
  const std::string parts = reduced_parts_text(step.sharding, cap_mib);
  if (step.sharding.way().has_units) return parts + '\n';
  return fmt::format("{}: {} {}\n", parts, step.ddp.plan.size(), buckets_text(step.ddp.plan));
}

// The steps of a run, as StepSession takes them.
struct Count {
  int samples;  // a sample is one step with communication and one without
  int warm_up;  // steps with communication, after the first step
  int timing;   // steps without communication that time the tasks; 0 if compute is replayed
  // Returns the number of steps with communication, including the first step and the step for verification.
  int steps() const { return 2 + warm_up + samples; }
  // Returns the number of steps without communication.
  int alone() const { return samples + timing; }
};

Count count_of(Config const& config) {
  const bool times_tasks = config.compute == ComputeMode::kernels;
  return {config.samples, std::max(1, config.warmup), times_tasks ? std::max(3, config.samples) : 0};
}

std::string describe_count(Count const& count) {
  const std::string timing =
      count.timing > 0 ? fmt::format(" ({} samples, and {} that time the tasks)", count.samples, count.timing)
                       : "";
  return fmt::format(
      "steps to run: {} with communication (the first step, 1 to verify, {} to warm up, {} sample{}), and {} "
      "without "
      "communication{}\n",
      count.steps(), count.warm_up, count.samples, count.samples == 1 ? "" : "s", count.alone(), timing);
}

// Returns the costs of the step's collectives, as functions of the bytes of elements in fp32. If the
// collectives are not replayed, their costs are not known before the run. Then every collective costs 0.
model::CollectiveCosts collective_costs(Config const& config, model::RankGraphs const& step) {
  model::CollectiveCosts none;
  for (const auto verb : model::all_verbs) none.set(verb, [](std::int64_t) { return 0.0; });
  return config.backend == Backend::replay
             ? verb_costs(step, replayed_tables(config), config.ranks_per_node).costs
             : none;
}

// Returns the number of ranks of the step. In a replay this number is [allreduce] ranks. Otherwise it is the
// larger one of likely_ranks and [shard] group.
std::size_t ranks_of(Config const& config) {
  if (config.ranks > 0) return static_cast<std::size_t>(config.ranks);
  return std::max<std::size_t>(likely_ranks, is_sharded(config) ? config.sharding.group : 0);
}

std::string describe_time(Config const& config, Workload const& workload, model::Strategy const& step) {
  const auto phases = roofline_phases(config, workload.pass, step.clipped);
  if (!phases)
    return "time: not known before the run, because the input has no roofline ([machine] peak_flops and "
           "bandwidth)\n";
  const auto graphs = costed_step_of(config, step, ranks_of(config));
  const auto collectives = collective_costs(config, whole_step_of(config, step, ranks_of(config)));
  const auto time = model::whole_step_time(
      graphs, model::whole_step_costs(graphs, workload.pass, *phases, collectives, {}, copies_of(config)));
  const Count count = count_of(config);
  if (needs_arena(config))
    return fmt::format(
        "time: at least {:.3g} s of compute, from the roofline of [machine], plus the collectives, whose "
        "time is not known before the run\n",
        (count.steps() + count.alone()) * time.alone);
  const auto memory = model::live_memory(graphs.classes.front().graph, time.trace);
  const auto note = hypothetical_note({memory.peak, config.device_memory});
  return fmt::format("time: about {:.3g} s\n",
                     count.steps() * time.phases.step + count.alone() * time.alone) +
         (note.empty() ? "" : note + "\n");
}

}  // namespace

std::string describe_step_plan(Config const& config, Workload const& workload) {
  check_can_step(config);
  check_can_run(config);
  const model::Strategy step = step_to_run(config, workload);
  const auto graphs = whole_step_of(config, step, ranks_of(config));
  check_units_here(config, ranks_of(config));
  std::string text = describe_model(config, workload);
  text += fmt::format(
      "step: {} micro-batch{} of {} sequence{} x {} tokens, optimizer {}; compute: {}, all-reduce: {}\n",
      step.micro_batches, step.micro_batches == 1 ? "" : "es", config.tokens.batch,
      config.tokens.batch == 1 ? "" : "s", config.tokens.sequence, word_of(step.optimizer, optimizer_words),
      word_of(config.compute, compute_mode_words), word_of(config.backend, backend_words));
  text += describe_ranks(config, static_cast<int>(ranks_of(config)));
  if (is_sharded(config)) text += fmt::format("sharding: {}\n", sharding_sentence(config.sharding));
  text += describe_memory(config, workload, graphs);
  text += describe_buckets(step, step_cap_mib(config));
  text += describe_count(count_of(config));
  return text + describe_time(config, workload, step);
}

}  // namespace ddproxy
