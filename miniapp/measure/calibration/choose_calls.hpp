// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "miniapp/measure/pass/rank_context.hpp"

namespace ddproxy {

/// Chooses between MPI_Allreduce and MPI_Iallreduce as `[allreduce] call` says. Assigns the choice to
/// context.choice, and replaces the context's communication lane by one that makes the chosen calls.
///
/// With "auto", rank 0 compares the times of both calls for each message size. A time is the maximum over the
/// ranks. Rank 0 takes the call that is faster without compute. But if both calls were also measured while
/// compute ran, and the other call clearly ended earlier there, rank 0 takes the other call. Without
/// measuring, all ranks take the nonblocking call if there is only one rank, if the compute side drives the
/// reductions, or if ranks share cores. A rank that waits in a nonblocking call yields its core. If the
/// case's all-reduces are replayed and only `[gate]` asks for real ones, nothing is measured either: all
/// ranks take the blocking call if each rank has a core for its communication thread, and the nonblocking
/// call otherwise.
///
/// If the step has several communication lanes (`lanes`), "auto" takes the nonblocking call without
/// measuring, because one thread then drives all lanes.
///
/// With "blocking", prints a warning if a rank has no core that its compute threads leave free.
///
/// Does nothing with NCCL, or if MPI reduces nothing. Collective; the choice is the same on all ranks.
void choose_calls(RankContext& context, std::size_t lanes = 1);

/// Returns the choice and its reason in one line of text for users. Returns an empty text if MPI reduces
/// nothing.
std::string describe(CallChoice const& choice);

}  // namespace ddproxy
