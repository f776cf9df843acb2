// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "miniapp/collectives/drivers/collective_engine.hpp"
#include "miniapp/collectives/drivers/joint_lanes.hpp"

namespace ddproxy {

/// Returns a communication lane of this rank for each engine.
///
/// A single lane is a ThreadedLane or a PolledLane, as `polling` says. Several lanes share a JointDriver if
/// no engine makes blocking MPI calls. If one of the engines makes blocking MPI calls, each lane has a thread
/// of its own.
///
/// The lanes own the engines. If a call of a library does not return, the error message contains `rank`. Two
/// errors are possible if there are several lanes and each needs a thread of its own: if `polling` says that
/// there are no communication threads, throws std::invalid_argument; if MPI's thread level does not suffice,
/// throws what require_threads() throws.
std::vector<std::unique_ptr<CommunicationLane>> make_lanes(
    std::vector<std::unique_ptr<CollectiveEngine>> engines, JointPolling polling, int rank);

/// Throws std::invalid_argument if `provided`, the thread level that MPI provides, is below
/// MPI_THREAD_MULTIPLE. Lanes that make blocking MPI calls from several threads need that level. The message
/// begins with `where`, which names the file and the keys that ask for several lanes.
void require_threads(int provided, std::string const& where = "");

/// Returns the thread level that MPI provides. MPI must be initialised.
int provided_threads();

}  // namespace ddproxy
