// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/input/step_strategy.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

#include "miniapp/input/buffer_list.hpp"
#include "miniapp/input/cases.hpp"
#include "miniapp/input/unit_memory.hpp"
#include "miniapp/input/words.hpp"
#include "model/step/host_waits.hpp"
#include "model/step/strategies/sharded_builder.hpp"

namespace ddproxy {

model::Strategy strategy_of(Config const& config) {
  auto const& step = config.step;
  return {.ddp = {.overlapped = config.progress != Progress::none,
                  .copies = config.copies,
                  .wire = data_type_of(config.wire)},
          .micro_batches = step.accumulation,
          .sync = step.sync,
          .clipped = step.clip.has_value(),
          .optimizer = step.optimizer,
          .checkpoint = step.checkpoint,
          .sharding = config.sharding};
}

// Checks the parts of a sharded step that depend on how collectives are carried out.
static void check_can_shard(Config const& config) {
  if (!is_sharded(config)) return;
  const auto refuse = [&](std::string const& why) {
    throw std::invalid_argument(config.file.string() + ": " + why);
  };
  if (config.copies != model::CopyMode::none)
    refuse(
        "[allreduce] copies: a sharded step does not copy gradients into buckets; remove this key, or "
        "set [shard] stage = \"none\"");
  if (has_several_lanes(config) && config.progress == Progress::none)
    refuse(
        "[shard] lanes, group: the step has several communication lanes, but [allreduce] progress = \"none\" "
        "supports only one; set progress = \"thread\" or \"poll\", or set lanes = 1 and remove group");
}

void check_can_step(Config const& config) {
  const auto refuse = [&](std::string const& why) {
    throw std::invalid_argument(config.file.string() + ": " + why);
  };
  if (!config.times.empty())
    refuse(
        "[compute] times: such a table has only times of the backward pass, and a whole step has other parts "
        "too; remove this key, and give [machine] peak_flops and bandwidth");
  if (needs_device_memory(config) && config.compute == ComputeMode::replay)
    refuse(
        "[compute] mode = \"replay\": on a device, replayed compute with real all-reduces is not supported; "
        "set [allreduce] backend = \"replay\" with table and ranks, or mode = \"kernels\"");
  check_can_shard(config);
}

std::string sharding_text(model::Sharding const& s) {
  model::ShardWay const& way = s.way();
  std::string text(way.name);
  if (!way.divided.any()) return text;
  const auto add = [&](std::string const& more) { text += ", " + more; };
  if (way.has_units) {
    add("unit " + std::string(word_of(s.unit, shard_unit_words)));
    add(s.reshard_after_forward ? "reshard after forward" : "units kept after forward");
    add("prefetch " + std::to_string(s.prefetch));
    add("group " + (s.group > 0 ? std::to_string(s.group) : "all"));
  } else {
    add("reduce " + std::string(word_of(s.reduce, shard_reduce_words)));
    add("update " + std::string(word_of(s.update, shard_update_words)));
  }
  add(std::to_string(s.lanes) + (s.lanes == 1 ? " lane" : " lanes"));
  return text;
}

std::string sharding_sentence(model::Sharding const& s) {
  model::ShardWay const& way = s.way();
  std::string text(way.name);
  if (!way.divided.any()) return text;
  if (way.has_units) {
    text += s.unit == model::ShardUnit::layer ? ": the parameters of each layer" : ": all parameters";
    text += " are divided among ";
    text += s.group > 0 ? "the ranks of each group of " + std::to_string(s.group) : "all ranks";
    text += s.reshard_after_forward ? ". The gathered parameters are freed after the forward pass, and "
                                      "gathered again for the backward pass"
                                    : ". The gathered parameters are kept after the forward pass";
    text += "; gathers run at most " + std::to_string(s.prefetch) + (s.prefetch == 1 ? " unit" : " units") +
            " ahead of compute";
  } else {
    text += ": " + std::string(word_of(s.reduce, shard_reduce_words)) + " averages the gradients, " +
            std::string(word_of(s.update, shard_update_words)) + " distributes the updated parameters";
  }
  return text + (s.lanes == 1 ? "; one communicator for gathers and reductions"
                              : "; gathers use one communicator, reductions another");
}

std::string reduced_parts_text(model::Sharding const& s, double cap_mib) {
  if (!s.way().has_units) return fmt::format("buckets of {:g} MiB", cap_mib);
  return s.unit == model::ShardUnit::layer ? "FSDP units: one for each layer" : "FSDP unit: the whole model";
}

model::Sharding sharding_of(Config const& config, model::ShardStage stage) {
  return stage == config.sharding.stage ? config.sharding : model::default_sharding(stage);
}

void check_group(Config const& config, model::Sharding const& sharding) {
  if (sharding.group == 1)
    throw std::invalid_argument(config.file.string() +
                                ": [shard] group: a group of 1 rank does not divide its units; set group to "
                                "at least 2, or stage = \"none\"");
}

void check_sharding(Config const& config, model::Sharding const& s, std::size_t ranks) {
  if (!s.way().divided.any()) return;
  const auto refuse = [&](std::string const& why) {
    throw std::invalid_argument(config.file.string() + ": [shard] " + why);
  };
  if (ranks < 2)
    refuse("stage = \"" + std::string(s.way().name) +
           "\" divides a step among the ranks, but there is only one rank; " +
           (config.backend == Backend::replay ? "set [allreduce] ranks to at least 2"
                                              : "start at least 2 ranks (mpirun -n 2)") +
           ", or set stage = \"none\"");
  if (s.group > ranks || (s.group > 0 && ranks % s.group != 0))
    refuse("group: " + std::to_string(s.group) + " does not divide the " + std::to_string(ranks) +
           " ranks; choose a divisor, or remove this key to divide a unit over all ranks");
  check_group(config, s);
  check_units(config, s, ranks, room_of_device(config));
}

model::Communicator unit_groups(std::size_t ranks, std::size_t group) {
  const auto groups = model::shard_groups({.group = group}, ranks);
  return groups.communicators.at(model::index(groups.reduces));
}

model::Communicator replica_groups(std::size_t ranks, std::size_t group) {
  const auto groups = model::shard_groups({.group = ranks / group}, ranks);
  return groups.communicators.at(model::index(groups.replicas.value()));
}

double step_cap_mib(Config const& config) {
  return config.caps_mib == default_caps_mib ? common_cap_mib : config.caps_mib.front();
}

model::Strategy step_to_run(Config const& config, Workload const& workload) {
  const std::int64_t cap = to_bytes(step_cap_mib(config));
  const std::int64_t caps[] = {first_bucket_of(config).value_or(cap), cap};
  model::Strategy step = strategy_of(config);
  step.ddp.plan = model::bucketed_plan(workload.gradient_bytes, caps);
  return step;
}

model::RankGraphs whole_step_of(Config const& config, model::Strategy const& strategy, std::size_t ranks) {
  check_sharding(config, strategy.sharding, ranks);
  auto step = model::whole_step(model::backward_pass(config.shape), model::forward_pass(config.shape),
                                config.tokens.count(), strategy, ranks);
  const bool handed_back = builds_for_device() && config.backend == Backend::mpi;
  return handed_back ? model::with_host_waits(std::move(step)) : step;
}

model::RankGraphs costed_step_of(Config const& config, model::Strategy strategy, std::size_t ranks) {
  strategy.ddp.wire = data_type_of(WireFormat::fp32);
  return whole_step_of(config, strategy, ranks);
}

}  // namespace ddproxy
