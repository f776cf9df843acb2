// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/predict/graph/step_costs.hpp"
#include "model/step/step_trace.hpp"

namespace ddproxy::model {

/// Predicts when every task of a step starts and ends.
///
/// A task is ready when its lane is free and every task that it waits for has ended. A collective has one
/// task on each rank of its group. It starts when the last of these tasks is ready, and all of them end
/// together. Each task has its seconds of work; a collective has the largest work of its tasks. A task runs
/// at the speed that StepCosts::rates() returns; a collective runs at the slowest speed of its tasks. The
/// speeds on a rank change only when a task starts or ends on that rank. The simulation moves from one such
/// moment to the next, so the times are exact up to rounding.
///
/// Returns one trace for each class of ranks. Returns one trace for each rank instead if the ranks of a class
/// wait for different classes (ranks_wait_alike() in equal_ranks.hpp returns false).
///
/// Throws std::logic_error with the names of the tasks if tasks wait for each other or if the members of a
/// group issue different collectives; check() finds these errors earlier. Throws std::invalid_argument if
/// `costs` belong to another step, or if a speed is not positive.
StepTraces simulate(RankGraphs const& step, StepCosts const& costs);

}  // namespace ddproxy::model
