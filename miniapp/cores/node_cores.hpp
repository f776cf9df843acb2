// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>
#include <sched.h>
#include <vector>

#include "miniapp/cores/thread_choice.hpp"

namespace ddproxy {

/// Returns the numbers of the cores that the process `pid` may use, in ascending order. If `pid` is 0,
/// returns the cores of the calling thread. Returns an empty list if the kernel does not give the cores.
std::vector<int> allowed_cores(pid_t pid = 0);

/// Gathers the cores that each rank of a node may use, divides them between the ranks, and returns the choice
/// of this rank. `node` is a communicator of the ranks that share memory. `wish` is what the user asked for.
/// All ranks of the node are assumed to be in the same control group. So together they get at most as many
/// cores as the smallest CPU quota of a rank (miniapp/cores/cpu_quota.hpp). If several ranks may use the same
/// cores, restricts the calling thread to this rank's block of them (own_block() in
/// miniapp/cores/placement.hpp). Threads that it starts later inherit this restriction. Collective over
/// `node`.
ThreadChoice agree_on_threads(MPI_Comm node, ThreadWish const& wish);

/// Returns the number of cores that this rank may count as its own. A core that k ranks of the node may use
/// counts 1/k (core_share() in miniapp/cores/placement.hpp). The cores of a rank are those that its threads
/// may use (allowed_processors() in miniapp/cores/pinning.hpp). A CPU quota reduces the number.
/// `communicator` may span several nodes. Collective over `communicator`.
double core_share(MPI_Comm communicator);

}  // namespace ddproxy
