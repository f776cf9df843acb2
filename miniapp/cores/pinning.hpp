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
/// Call it before MPI and Kokkos start their threads, which inherit the restriction. Throws
/// std::invalid_argument if this rank has no entry, if its entry has another form, or if it names a processor
/// that the process may not use.
void pin_rank(std::vector<std::string> const& compute, std::vector<std::string> const& communication);

/// Returns the processors that the threads of this rank may use, including its communication thread. Call it
/// on the main thread, after pin_rank().
cpu_set_t allowed_processors();

/// Moves the calling thread to the communication cores of this rank. Does nothing if pin_rank() was given
/// none.
void pin_communication_thread();

}  // namespace ddproxy
