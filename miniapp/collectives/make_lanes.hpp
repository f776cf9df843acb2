// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "miniapp/collectives/drivers/collective_engine.hpp"
#include "miniapp/collectives/drivers/joint_lanes.hpp"

namespace ddproxy {

/// Returns a lane for each engine, all of them of this rank: one lane as ThreadedLane or PolledLane drives
/// it; several share a JointDriver, or have a thread each where an engine makes blocking calls. Throws
/// std::invalid_argument where blocking calls of several lanes have no thread, and where MPI provides less
/// than MPI_THREAD_MULTIPLE for theirs. `rank` is named where a call does not come back.
std::vector<std::unique_ptr<CommunicationLane>> make_lanes(
    std::vector<std::unique_ptr<CollectiveEngine>> engines, JointPolling polling, int rank);

/// Throws std::invalid_argument where lanes make blocking calls from several threads and MPI `provided` a
/// lower level of threads than that needs.
void require_threads(int provided);

}  // namespace ddproxy
