// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "miniapp/measure/pass/rank_context.hpp"

namespace ddproxy {

/// Chooses between MPI_Allreduce and MPI_Iallreduce as `[allreduce] call` says. Assigns the choice to
/// context.choice. Replaces the context's communication lane by one that makes the chosen MPI calls, unless
/// its all-reduces are replayed.
///
/// With "auto", rank 0 compares the times of both MPI calls for each message size. A time is the maximum over
/// the ranks. Rank 0 chooses the MPI call that is faster without compute, with one exception
/// (prefers_blocking() in compare_mpi_calls.hpp): if the other MPI call was clearly faster while compute ran,
/// rank 0 chooses the other MPI call. In three cases rank 0 compares nothing, and all ranks take the
/// nonblocking MPI call: there is only one rank; the compute side drives the reductions; a rank has less than
/// one core, because ranks share cores. In the last case the nonblocking MPI call is better, because a rank
/// that waits in it yields its core. Nothing is measured either if the all-reduces of the cases are replayed
/// and only `[gate]` asks for real ones. All ranks then take the blocking MPI call if each rank has a core
/// for its communication thread, and the nonblocking MPI call otherwise.
///
/// If the step has several communication lanes (`lanes`), "auto" takes the nonblocking MPI call without
/// measuring, because one thread then drives all lanes.
///
/// With "blocking", prints a warning if the compute threads of a rank leave none of its cores free.
///
/// Does nothing with NCCL, or if MPI reduces nothing. Collective; the chosen MPI calls are the same on all
/// ranks.
void choose_mpi_calls(RankContext& context, std::size_t lanes = 1);

/// Returns the choice and its reason in one line of text for users. Returns an empty text if MPI reduces
/// nothing.
std::string describe(MpiCallChoice const& choice);

}  // namespace ddproxy
