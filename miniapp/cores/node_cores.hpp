// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>
#include <sched.h>
#include <vector>

#include "miniapp/cores/thread_choice.hpp"

namespace ddproxy {

/// The processors that the process `pid` may use; 0 is this process. Empty where the kernel does not say.
std::vector<int> allowed_cores(pid_t pid = 0);

/// Compares the cores that the ranks of a node really may use, and divides them. Where the launcher left
/// several ranks the same cores, restricts the calling thread, and the threads that it starts later, to this
/// rank's block of them (own_block()). Collective over `node`, a communicator of the ranks that share memory.
/// Returns this rank's choice.
ThreadChoice agree_on_threads(MPI_Comm node, int wish);

/// Returns core_share() of this rank among those of its node, over the cores of all its threads
/// (allowed_processors()). Collective over `communicator`, which may span nodes.
double core_share(MPI_Comm communicator);

}  // namespace ddproxy
