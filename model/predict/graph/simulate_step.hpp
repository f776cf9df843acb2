// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/predict/graph/step_costs.hpp"
#include "model/step/step_trace.hpp"

namespace ddproxy::model {

/// Predicts when every task of a step starts and ends. A task is ready when its lane is free and everything
/// that it waits for has ended; a collective starts when its last member is ready, and its members end
/// together. Each task has its seconds of work, a collective the most of its members. It works them off at
/// the speed of StepCosts::rates(), a collective at the slowest of its members' speeds. Speeds change only
/// where a task starts or ends on one of these ranks, so times are exact to rounding.
///
/// There is one trace for each class of ranks, or one for each rank where the ranks of a class wait for
/// different classes (see equal_ranks.hpp). Throws std::logic_error that names tasks where tasks wait for
/// each other or the members of a group issue different collectives, which check() finds first;
/// std::invalid_argument where `costs` are of another step, or a speed is not positive.
StepTraces simulate(RankGraphs const& step, StepCosts const& costs);

}  // namespace ddproxy::model
