// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "miniapp/input/options/options.hpp"
#include "miniapp/input/workload.hpp"
#include "model/cost/collective_tables.hpp"

namespace ddproxy {

/// Checks --sizes, --pieces and --total. A size or the total must not be larger than the gradients of the
/// model. A piece must not be larger than the total. A size or a piece must have at least one element. A
/// replay moves no data, so its sizes and its total may be larger than the gradients. If an option is wrong,
/// throws std::invalid_argument that names the option.
void check_sizes(Options const& options, Config const& config, Workload const& workload);

/// Returns the group of `ranks` ranks that a replay simulates. If `strided` is true, the ranks of a group lie
/// apart, as replica_groups() (miniapp/input/step_strategy.hpp) chooses them. Otherwise they are consecutive.
/// config.ranks must be a multiple of `ranks`.
model::RankGroup replayed_group(Config const& config, int ranks, bool strided);

/// Checks the collectives of --op if they are replayed. For each of them the table must have times for groups
/// of --group ranks. If --group is not given, it must have times for all ranks. If the collective itself has
/// no times, those of its substitute are enough (CollectiveTables::source() in
/// model/cost/collective_tables.hpp). Throws std::invalid_argument that names the table and the collective if
/// both are missing.
void check_verbs(Options const& options, Config const& config);

/// Checks that a send of --op has two ranks or more in a group. `ranks` is the number of all ranks; in a
/// replay, the number of simulated ranks. Throws std::invalid_argument that names the option if not.
void check_pairs(Options const& options, int ranks);

/// Checks --group. `ranks` is the number of all ranks; in a replay, the number of simulated ranks. Throws
/// std::invalid_argument that names the option if `ranks` is not a multiple of the group size.
void check_group(Options const& options, int ranks);

}  // namespace ddproxy
