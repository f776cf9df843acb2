// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "miniapp/collectives/drivers/communication_lane.hpp"
#include "miniapp/machine/runtime.hpp"
#include "miniapp/measure/pass/run_step.hpp"
#include "model/step/step_trace.hpp"

namespace ddproxy {

using CallsOfLane = std::vector<FinishedCall> const*;  ///< CommunicationLane::finished(); not owned

/// Returns the ready time, start and end of each task in the last run of `step` on this rank, in seconds from
/// the start of the step. Call it when the run is over. `calls` has the finished calls of that run for each
/// communication lane. The start of a compute task or a copy is not measured. The start is taken as the time
/// at which the previous task of the compute lane and all collectives that the task waits for have ended.
model::StepTrace trace_of(StepTimes const& times, CompiledStep const& step,
                          std::span<const CallsOfLane> calls);
/// Returns the trace of a step with one communication lane.
model::StepTrace trace_of(StepTimes const& times, CompiledStep const& step,
                          std::vector<FinishedCall> const& calls);

/// Gathers the traces of all ranks on rank 0, in the order of the ranks. All ranks must have the same tasks.
/// Returns an empty list on the other ranks, and on all ranks if the trace has no tasks. Collective.
std::vector<model::StepTrace> gather_traces(Runtime const& runtime, model::StepTrace const& mine);

}  // namespace ddproxy
