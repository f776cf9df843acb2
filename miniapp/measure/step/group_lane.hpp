// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "miniapp/measure/pass/rank_context.hpp"

namespace ddproxy {

/// Divides the ranks into groups of `ranks` ranks, as a step with [shard] group does. Without `strided`, a
/// unit is divided among the ranks of a group (unit_groups() in step_strategy.hpp). With `strided`, all ranks
/// of a group have the same part of a unit (replica_groups()). Replaces `context.allreduce` by a lane of this
/// rank's group with the MPI calls of `context.choice`, and sets `context.group` and `context.strided`. All
/// groups then carry out their collectives at the same time. If the collectives are replayed, this process
/// stands for rank 0 of the first group.
///
/// Call it after choose_mpi_calls(), which makes a lane of all ranks. `ranks` must divide context.ranks().
/// Throws as make_group_lanes() (make_allreduce.hpp) does. Collective.
void use_group_lane(RankContext& context, int ranks, bool strided = false);

/// Returns on how many nodes the ranks of one group run. The groups are those of context.grouping(). If the
/// groups differ, returns the largest number. Call it on all ranks; only the result of rank 0 has a meaning.
/// In a replay the number follows from [machine] ranks_per_node; it is 0 if the input lacks this key.
/// Collective.
int nodes_of_groups(RankContext const& context);

}  // namespace ddproxy
