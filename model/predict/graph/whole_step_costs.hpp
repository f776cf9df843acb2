// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/cost/step_work.hpp"
#include "model/predict/graph/step_costs.hpp"
#include "model/predict/timeline.hpp"
#include "model/transformer/gpt2.hpp"

namespace ddproxy::model {

/// Returns the costs of a graph that whole_step() (whole_step.hpp) built. An operator costs what `phases`
/// says for the operator's phase. A norm, clip or update task costs what `phases` says for the number of its
/// parameters. Copies and all-reduces cost what ddp_costs() (ddp_costs.hpp) says. Throws
/// std::invalid_argument for a wrong number of operator times, and what step_costs() (step_costs.hpp) throws.
StepCosts whole_step_costs(RankGraphs const& step, BackwardPass const& pass, PhaseCosts const& phases,
                           AllreduceCost const& cost, Contention const& contention = {},
                           Copies const& copies = {});

}  // namespace ddproxy::model
