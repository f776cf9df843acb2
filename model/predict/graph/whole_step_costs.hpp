// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/cost/step_work.hpp"
#include "model/predict/graph/step_costs.hpp"
#include "model/predict/timeline.hpp"
#include "model/transformer/gpt2.hpp"

namespace ddproxy::model {

/// Returns the costs of a graph that whole_step() built. Operators cost what `phases` says for their phase;
/// norms, clips and updates cost what it says for the parameters that they touch. Copies and all-reduces cost
/// what ddp_costs() says. Throws std::invalid_argument for a wrong number of operator times, and as
/// step_costs() does.
StepCosts whole_step_costs(RankGraphs const& step, BackwardPass const& pass, PhaseCosts const& phases,
                           AllreduceCost const& cost, Contention const& contention = {},
                           Copies const& copies = {});

}  // namespace ddproxy::model
