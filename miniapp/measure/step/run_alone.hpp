// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "miniapp/compute/compute_lane.hpp"
#include "miniapp/measure/pass/compiled_step.hpp"
#include "model/step/step_trace.hpp"

namespace ddproxy {

/// Carries out the compute tasks and copies of a step on this rank without any communication, one after
/// another, and waits for their end. Returns the times of all tasks in seconds from the start. Collectives
/// and host waits take no time in it. Parameters are updated with the gradients of this rank alone.
model::StepTrace run_alone(CompiledStep& step, ComputeLane& lane);

}  // namespace ddproxy
