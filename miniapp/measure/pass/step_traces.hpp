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

using CallsOfLane = std::vector<FinishedCall> const*;  ///< CommunicationLane::finished()

/// Returns the times of all tasks of the last run of `step` on this rank. The run is over; `calls` are
/// those of the run, lane by lane. A task of the compute lane starts when the one before it has ended, and
/// what it waits for.
model::StepTrace trace_of(StepTimes const& times, CompiledStep const& step,
                          std::span<const CallsOfLane> calls);
/// The same for a step with one communication lane.
model::StepTrace trace_of(StepTimes const& times, CompiledStep const& step,
                          std::vector<FinishedCall> const& calls);

/// Gathers the traces of all ranks, which have the same tasks. Collective; on rank 0 one trace a rank, empty
/// elsewhere and where `mine` has no task.
std::vector<model::StepTrace> gather_traces(Runtime const& runtime, model::StepTrace const& mine);

}  // namespace ddproxy
