// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "miniapp/measure/pass/rank_context.hpp"

namespace ddproxy {

/// Chooses between MPI_Allreduce and MPI_Iallreduce as `[allreduce] call` says, and replaces the context's
/// communication lane by one that makes the chosen calls.
///
/// With "auto", rank 0 chooses for each message size, from measured times that are maxima over the ranks. It
/// takes the call that is faster without compute. Exception: if both calls were also measured beside compute,
/// and the other call clearly ended earlier there, rank 0 takes the other call. If a rank has less than one
/// core to itself, all ranks take the nonblocking call and sleep between its tests.
///
/// Does nothing with NCCL, or if nothing is reduced by MPI. Collective; the choice is the same on all ranks.
void choose_calls(RankContext& context);

/// Returns the choice and its reason in one line of text for users. Empty if MPI reduces nothing.
std::string describe(CallChoice const& choice);

}  // namespace ddproxy
