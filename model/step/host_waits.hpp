// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/step/step_graph.hpp"

namespace ddproxy::model {

/// Returns the same step for a device whose collectives the host carries out, for instance with MPI. Such a
/// host must wait until a collective has ended before it enqueues a task that needs the result. So this
/// function puts a HostWait before each task of a compute lane that waits for collectives. The HostWait waits
/// for these collectives in place of the task. If the HostWaits take no time, the other tasks start at the
/// same times as without them.
RankGraphs with_host_waits(RankGraphs step);

/// Returns whether a task of the graph is a HostWait for collectives.
bool has_host_waits(StepGraph const& graph);

}  // namespace ddproxy::model
