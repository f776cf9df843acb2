// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "miniapp/collectives/drivers/communication_lane.hpp"
#include "miniapp/compute/compute_lane.hpp"
#include "miniapp/measure/pass/compiled_step.hpp"

namespace ddproxy {

/// One timed step on this rank, in seconds from its start.
struct StepTimes {
  Clock::time_point start;
  double backward_end;  ///< the host has waited for the backward pass (HostWait)
  double total;         ///< every task of every lane is done
};

/// Runs a step: asks the lanes for its tasks, in the order of the graph's list, and waits for the end of all
/// of them. The host waits in between only at a HostWait, and where a task of a compute lane on the host
/// needs a collective. No barrier: the caller sees to it that all ranks start together, and that the clocks
/// were synchronised (synchronise_clocks()) while nobody used the device. `lanes`: one for each of
/// CompiledStep::lanes(), on that communicator, in that order; lanes without a task may follow. Throws what
/// the lanes throw, and std::logic_error where lanes are missing or the compute lane does not know a phase.
StepTimes run_step(CompiledStep& step, ComputeLane& compute, std::span<CommunicationLane* const> lanes);
/// The same for a step with one communication lane.
StepTimes run_step(CompiledStep& step, ComputeLane& compute, CommunicationLane& communication);

}  // namespace ddproxy
