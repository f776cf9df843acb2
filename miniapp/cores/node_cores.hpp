// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>
#include <sched.h>
#include <vector>

#include "miniapp/cores/thread_choice.hpp"

namespace ddproxy {

/// Returns the numbers of the cores that the process `pid` may use, in ascending order; 0 is this process.
/// Returns an empty list if the kernel does not give them.
std::vector<int> allowed_cores(pid_t pid = 0);

/// Compares the cores that the ranks of a node may really use, and divides them between the ranks. `node` is
/// a communicator of the ranks that share memory. `wish` is the number of threads that the user asked for, 0
/// if none. If the launcher gave several ranks the same cores, the calling thread is restricted to this
/// rank's block of them (own_block()). Threads that it starts later inherit the restriction. Returns the
/// choice of this rank. Collective over `node`.
ThreadChoice agree_on_threads(MPI_Comm node, int wish);

/// Returns the number of cores that this rank may count as its own: a core that k ranks of the node may use
/// counts 1/k (core_share() in miniapp/cores/placement.hpp). A rank may use a core if any of its threads may
/// use it (allowed_processors()). `communicator` may span several nodes. Collective over `communicator`.
double core_share(MPI_Comm communicator);

}  // namespace ddproxy
