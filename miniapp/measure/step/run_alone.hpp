// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "miniapp/compute/compute_lane.hpp"
#include "miniapp/measure/pass/compiled_step.hpp"
#include "model/step/step_trace.hpp"

namespace ddproxy {

/// Carries out the compute tasks and copies of a whole step on this rank, one after another and without
/// communication, and waits until they are done. Returns the times of all tasks in seconds from the start. In
/// this trace collectives and host waits take no time. Parameters are updated with the gradients of this rank
/// only, so afterwards the ranks have different parameters.
model::StepTrace run_alone(CompiledStep& step, ComputeLane& lane);

}  // namespace ddproxy
