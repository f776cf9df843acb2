// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "miniapp/calibrate.hpp"
#include "miniapp/measure.hpp"
#include "model/uncertainty.hpp"

namespace ddproxy {

/// What was measured, as the model takes it: the operations of all ranks, a(x) (`known` where it is a
/// table's), copies; no contention yet.
model::Evidence collect_evidence(Workbench const& bench, LayerTimes const& layers,
                                 std::vector<SizeTimes> const& allreduce, model::TableCost const* known);

/// kappa and gamma for a plan: those of the co-run whose message size is nearest to the plan's typical
/// bucket, the mean weighted by bytes. None at all without co-runs.
model::Contention contention_for(model::Plan const& plan, std::vector<CoRun> const& runs);

/// The co-run in the middle: for what is planned before there is a plan.
model::Contention typical_contention(std::vector<CoRun> const& runs);

}  // namespace ddproxy
