// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "miniapp/collectives/drivers/communication_lane.hpp"
#include "miniapp/compute/compute_lane.hpp"
#include "miniapp/measure/pass/compiled_step.hpp"

namespace ddproxy {

/// Times of one run of a step on this rank.
struct StepTimes {
  Clock::time_point start;
  double backward_end;  ///< seconds from `start` until a HostWait found the backward pass complete
  double total;         ///< seconds from `start` until every task of every lane was done
};

/// Runs a step on this rank and returns its times.
///
/// Problem: a host that waits for one lane delays the others, and so changes the overlap that is measured. So
/// each task goes to its lane at once, in the order of the graph's list, together with the completion that
/// the task waits for. The lanes wait, and the host goes on. While it issues tasks, the host waits in three
/// cases only: at a HostWait; if the compute lane is on the host and a task needs a collective; and if the
/// host is too far ahead of a device (RunAhead). After the last task it waits until all tasks are done.
///
/// Order of calls: synchronise_clocks() while nobody uses the device, then a barrier, then run_step() on all
/// ranks. run_step() has no barrier of its own. Afterwards CompiledStep::ends() and
/// CommunicationLane::finished() have the times of the tasks, and trace_of() collects them.
///
/// lanes[i] must run on the communicator CompiledStep::lanes()[i]. Further lanes may follow; they get no
/// task. Throws what the lanes throw. Throws std::logic_error if lanes are missing, or if the compute lane
/// cannot carry out a task of the step (ComputeLane::knows()). Such a task is not the backward pass of the
/// only micro-batch.
StepTimes run_step(CompiledStep& step, ComputeLane& compute, std::span<CommunicationLane* const> lanes);
/// Runs a step that has at most one communication lane.
StepTimes run_step(CompiledStep& step, ComputeLane& compute, CommunicationLane& communication);

}  // namespace ddproxy
