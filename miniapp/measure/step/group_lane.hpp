// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "miniapp/measure/pass/rank_context.hpp"

namespace ddproxy {

/// Divides the ranks into groups of `ranks` consecutive ranks, as a step with [shard] group does. Replaces
/// `context.allreduce` by a lane of this rank's group with the calls of `context.choice`, and sets
/// `context.group`. All groups then carry out their collectives at the same time. If the collectives are
/// replayed, this process stands for rank 0 of the first group.
///
/// Call it after choose_calls(), which makes a lane of all ranks. `ranks` must divide context.ranks(). Throws
/// as make_group_lanes() (make_allreduce.hpp) does. Collective.
void use_group_lane(RankContext& context, int ranks);

/// Returns on rank 0 on how many nodes the ranks of a group of context.grouping() are, the largest number of
/// all groups. In a replay the input says it; 0: it does not. Collective.
int nodes_of_groups(RankContext const& context);

}  // namespace ddproxy
