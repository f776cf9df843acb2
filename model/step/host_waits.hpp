// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/step/step_graph.hpp"

namespace ddproxy::model {

/// Returns the same step for a device whose collectives the host carries out, as MPI does. The host has to
/// hand their results back to the device: it waits for a collective before it enqueues a task that needs the
/// result. So each task of a compute lane that waits for collectives gets a HostWait before it, which waits
/// for them in its place. With HostWaits that take no time, no task starts earlier or later than before.
RankGraphs with_host_waits(RankGraphs step);

/// Returns whether a task of the graph is a HostWait for collectives.
bool has_host_waits(StepGraph const& graph);

}  // namespace ddproxy::model
