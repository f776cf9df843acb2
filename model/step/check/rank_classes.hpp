// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/step/step_graph.hpp"
#include "model/step/violation.hpp"

namespace ddproxy::model {

/// Checks that the ranks are numbered from 0 without gaps, that each rank belongs to exactly one class, and
/// that no rank is twice in a communicator. Adds a violation of Rule::well_formed otherwise. All other rules
/// look up the class of a rank, so they can be checked only if this one holds.
void check_ranks(RankGraphs const& step, Violations& violations);

}  // namespace ddproxy::model
