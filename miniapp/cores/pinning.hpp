// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sched.h>

#include <string>
#include <vector>

namespace ddproxy {

/// Restricts this rank to its entry of `compute`, and stores its entry of `communication` for
/// pin_communication_thread(). Each list has one entry for each rank of the node, in the order of the ranks.
/// An entry consists of processors ("0") and ranges ("0-3"), joined by "+". An empty list restricts nothing.
/// Call this function before MPI and Kokkos start their threads, so that these inherit the restriction.
/// Throws std::invalid_argument if a list has no entry for this rank, if the entry has another form, or if
/// the entry names a processor that the process may not use.
void pin_rank(std::vector<std::string> const& compute, std::vector<std::string> const& communication);

/// Returns the processors that the threads of this rank may use, including its communication thread. Call it
/// on the main thread, after pin_rank().
cpu_set_t allowed_processors();

/// Restricts the calling thread to the communication cores of this rank. Does nothing if pin_rank() got no
/// list of communication cores.
void pin_communication_thread();

}  // namespace ddproxy
