// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sched.h>

#include <string>
#include <vector>

namespace ddproxy {

/// Restricts this rank to its entry of `compute` and remembers its entry of `communication`. Each list has
/// one entry for each rank of the node: processors ("0") and ranges ("0-3"), joined by "+". An empty list
/// restricts nothing. Call it before MPI and Kokkos start their threads, which inherit the restriction.
/// Throws std::invalid_argument for an entry that is not of this form, that names a processor which the
/// process may not use, or that is missing for this rank.
void pin_rank(std::vector<std::string> const& compute, std::vector<std::string> const& communication);

/// The processors that this rank's threads may use, those of communication included. Call it on the main
/// thread, after pin_rank().
cpu_set_t allowed_processors();

/// Moves the calling thread to this rank's communication cores; does nothing where pin_rank() was given none.
void pin_communication_thread();

}  // namespace ddproxy
