// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "model/predict/graph/step_costs.hpp"
#include "model/predict/timeline.hpp"
#include "model/transformer/gpt2.hpp"
#include "model/transformer/tensor_layout.hpp"

namespace ddproxy::model {

/// Returns the seconds of copying the gradients of a slice in one direction: copy_seconds() (timeline.hpp) of
/// a bucket with these gradients.
double copy_seconds(Slice slice, TensorLayout const& layout, Copies const& copies);

/// Returns the costs of a graph that ddp() built. `operator_seconds` has one entry for each of
/// `pass.operations`; these seconds replace the ready times and T_compute of a Job (timeline.hpp). The other
/// arguments mean the same as the members of a Job. Copies cost what copy_seconds() returns: the call time
/// for each gradient, plus the bytes divided by the bandwidth. The all-reduce time `cost` and the
/// `contention` are evaluated at the bytes in the wire format. Throws std::invalid_argument for a wrong
/// number of operator times, and what step_costs() (step_costs.hpp) throws.
StepCosts ddp_costs(RankGraphs const& step, BackwardPass const& pass,
                    std::span<const double> operator_seconds, AllreduceCost const& cost,
                    Contention const& contention = {}, Copies const& copies = {}, double handover = 0);

}  // namespace ddproxy::model
