// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "miniapp/measure/pass/rank_context.hpp"

namespace ddproxy {

/// Chooses between MPI_Allreduce and MPI_Iallreduce as `[allreduce] call` says, and gives the context the
/// all-reduce that makes those calls. With "auto", rank 0 chooses for each message size, from times that are
/// maxima over the ranks: the call that is faster alone, unless the other one ends earlier beside compute.
/// Where a rank has less than one core to itself, all take the nonblocking call and sleep between its tests.
/// Collective; the same choice on all ranks.
void choose_calls(RankContext& context);

/// What to say of the choice, in a line; empty where MPI reduces nothing.
std::string describe(CallChoice const& choice);

}  // namespace ddproxy
