// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "model/cost/step_work.hpp"
#include "model/predict/graph/step_costs.hpp"
#include "model/predict/timeline.hpp"
#include "model/transformer/gpt2.hpp"

namespace ddproxy::model {

/// Returns the costs of a graph that whole_step() (whole_step.hpp) built. An operator costs what `phases`
/// says for the operator's phase. A norm, clip or update task costs what `phases` says for the number of its
/// gradient elements. Copies and all-reduces cost what ddp_costs() (ddp_costs.hpp) says. Throws
/// std::invalid_argument for a wrong number of operator times, and what step_costs() (step_costs.hpp) throws.
StepCosts whole_step_costs(RankGraphs const& step, BackwardPass const& pass, PhaseCosts const& phases,
                           AllreduceCost const& cost, Contention const& contention = {},
                           Copies const& copies = {});

/// Returns the same costs for a step that also has collectives other than all-reduces. `collectives` has the
/// cost tables of all its collectives.
StepCosts whole_step_costs(RankGraphs const& step, BackwardPass const& pass, PhaseCosts const& phases,
                           CollectiveCosts const& collectives, Contention const& contention = {},
                           Copies const& copies = {});

/// Returns the costs of a step from measured times of its tasks. If there are several classes of ranks, their
/// graphs must have the same tasks; only the accesses of the tasks may differ. `task_seconds` has the seconds
/// of each task alone, [task]; the entries of collectives and host waits are not read. `cost` and
/// `contention` are functions of the bytes in the wire format. Throws std::out_of_range if the entry of
/// another task is missing, and what step_costs() throws.
StepCosts measured_step_costs(RankGraphs const& step, std::vector<double> const& task_seconds,
                              AllreduceCost const& cost, Contention const& contention = {});
StepCosts measured_step_costs(RankGraphs const& step, std::vector<double> const& task_seconds,
                              CollectiveCosts const& collectives, Contention const& contention = {});

}  // namespace ddproxy::model
