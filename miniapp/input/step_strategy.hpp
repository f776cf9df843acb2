// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>

#include "miniapp/input/config.hpp"
#include "miniapp/input/workload.hpp"
#include "model/step/strategies/whole_step.hpp"

// These functions say what a whole step of an input consists of. Both runs of steps and predictions use them.
namespace ddproxy {

/// Returns what the input's step consists of, with an empty plan. Copies, the wire format and the overlap are
/// those of [allreduce]: with progress = "none" nothing overlaps.
model::Strategy strategy_of(Config const& config);

/// Checks that `ddproxy step` can run the input. Throws std::invalid_argument in these cases:
/// - The input gives [compute] times, which are times of the backward pass only.
/// - The build is for a device, compute is replayed and all-reduces are real.
/// - The step is sharded and has copies.
/// - The step is sharded and has several communication lanes, with progress = "none".
/// The message is one line that names the file and the key, and says what to do.
void check_can_step(Config const& config);

/// Returns the settings of a stage: those of [shard] if the input names this stage, otherwise the defaults.
model::Sharding sharding_of(Config const& config, model::ShardStage stage);

/// Checks that the groups of a sharding have more than one rank. Throws std::invalid_argument as
/// check_sharding() does.
void check_group(Config const& config, model::Sharding const& sharding);

/// Checks that a step of the input can be divided among `ranks` ranks as `sharding` says. Checks nothing
/// without sharding. Throws std::invalid_argument if there is one rank only, if the group has one rank or
/// does not divide the ranks, or if a unit is larger than [machine] memory (unit_memory.hpp). The message is
/// one line that names the file and the key, and says what to do.
void check_sharding(Config const& config, model::Sharding const& sharding, std::size_t ranks);

/// Returns the groups of a step on `ranks` ranks with [shard] group = `group`: each has `group` consecutive
/// ranks, which share the units. Throws std::invalid_argument if the group does not divide the ranks.
model::Communicator unit_groups(std::size_t ranks, std::size_t group);

/// Returns the groups of ranks that have the same part of a unit. Each of these groups has `group` ranks. The
/// step has `ranks` ranks, so its key [shard] group has the value g = ranks / `group`, and the rank numbers
/// in a returned group are g apart. `group` must be at least 2 and divide `ranks`.
model::Communicator replica_groups(std::size_t ranks, std::size_t group);

/// Returns a sharding in words, for files, messages and tables: the stage, and the settings that it uses.
/// Returns "none" without sharding. Two shardings that differ in a setting they use have different texts.
std::string sharding_text(model::Sharding const& sharding);

/// Returns the same settings as one sentence for people, without its full stop.
std::string sharding_sentence(model::Sharding const& sharding);

/// Returns in words what the collectives of a step average one after another, for instance "buckets of 25
/// MiB". With FSDP these are the units, which have no cap.
std::string reduced_parts_text(model::Sharding const& sharding, double cap_mib);

/// Returns the cap of the buckets of `ddproxy step`, in MiB: the first of [sweep] caps_mib, or common_cap_mib
/// if caps_mib is the default list.
double step_cap_mib(Config const& config);

/// Returns the step that `ddproxy step` runs: strategy_of() with buckets of step_cap_mib(). If the input
/// gives a limit of the first bucket (first_bucket_of() in cases.hpp), the first bucket has this limit.
model::Strategy step_to_run(Config const& config, Workload const& workload);

/// Builds the graphs of a step of the input's model on `ranks` ranks. In a build for a device with backend
/// "mpi" they have HostWaits (model/step/host_waits.hpp). Throws as check_sharding() and model::whole_step()
/// do.
model::RankGraphs whole_step_of(Config const& config, model::Strategy const& strategy, std::size_t ranks);

/// Builds the same graphs with gradients in fp32 on the wire, whatever the strategy says. Use them with costs
/// that are functions of bytes of gradients in memory: the result of of_gradients(), kappa and gamma. Throws
/// as whole_step_of() does.
model::RankGraphs costed_step_of(Config const& config, model::Strategy strategy, std::size_t ranks);

}  // namespace ddproxy
