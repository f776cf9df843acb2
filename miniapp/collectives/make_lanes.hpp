// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "miniapp/collectives/drivers/collective_engine.hpp"
#include "miniapp/collectives/drivers/joint_lanes.hpp"

namespace ddproxy {

/// Returns a communication lane of this rank for each engine.
///
/// A single lane is a ThreadedLane or a PolledLane. Several lanes share a JointDriver, if no engine makes
/// blocking calls. Otherwise each lane has a thread of its own.
///
/// `rank` is the rank that an error message names if a call does not return. Throws std::invalid_argument if
/// several lanes make blocking calls and `polling` asks for no thread, or if MPI provides less than
/// MPI_THREAD_MULTIPLE for them.
std::vector<std::unique_ptr<CommunicationLane>> make_lanes(
    std::vector<std::unique_ptr<CollectiveEngine>> engines, JointPolling polling, int rank);

/// Throws std::invalid_argument if `provided`, the thread level of MPI, is below MPI_THREAD_MULTIPLE. Lanes
/// that make blocking calls from several threads need that level.
void require_threads(int provided);

}  // namespace ddproxy
