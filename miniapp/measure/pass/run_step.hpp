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
  /// Seconds from `start` to the end of the last HostWait for compute (step_graph.hpp); 0 if there is none.
  double backward_end;
  double total;  ///< seconds from `start` until every task of every lane was done
};

/// Runs a step on this rank and returns its times.
///
/// Problem: if the host waits for one lane, it issues the tasks of the other lanes later. That would change
/// the overlap that is measured. So the host gives each task to its lane at once, in the order of the graph's
/// list, together with the completion that the task waits for. The lane waits, and the host goes on. While it
/// issues tasks, the host waits in three cases only:
///   - at a HostWait (model/step/step_graph.hpp), a task that lets the host wait for compute or for
///     collectives;
///   - before a compute task or a copy that needs the result of a collective, if the host carries out the
///     collective. On a device the graph has a HostWait before such a task. If the collective runs on a
///     stream of the device (NCCL), the stream of the compute lane waits, and the host goes on;
///   - if the host is too far ahead of a device (RunAhead in run_ahead.hpp).
/// Without a device, the host carries out the compute tasks itself. After the last task the host waits until
/// all tasks are done.
///
/// Order of calls: synchronise_clocks() (miniapp/device/device.hpp) while no rank uses the device, then a
/// barrier, then run_step() on all ranks. run_step() has no barrier of its own. Afterwards
/// CompiledStep::ends() and CommunicationLane::finished() have the times of the tasks. trace_of()
/// (step_traces.hpp) collects them.
///
/// lanes[i] must run on the communicator CompiledStep::lanes()[i]. Further lanes may follow; they get no
/// task. Throws the errors of the lanes. Throws std::logic_error if lanes are missing. Also throws
/// std::logic_error if the step has tasks for ComputeLane::carry_out() and the compute lane cannot carry out
/// one of them (ComputeLane::knows()).
StepTimes run_step(CompiledStep& step, ComputeLane& compute, std::span<CommunicationLane* const> lanes);
/// Runs a step that has at most one communication lane.
StepTimes run_step(CompiledStep& step, ComputeLane& compute, CommunicationLane& communication);

}  // namespace ddproxy
