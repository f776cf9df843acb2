// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/step/step_graph.hpp"
#include "model/step/violation.hpp"

namespace ddproxy::model {

/// Checks the graphs of a step against the rules of `Rule` and returns the violations. An empty result proves
/// that the step is right in every schedule that its graphs allow.
///
/// check() does not compute numbers. It follows which contributions a gradient contains, and by which number
/// the averages have divided each of them. verify_numbers() (miniapp/measure/verification/verify.hpp)
/// checks the numbers of a run.
///
/// Returns at most 20 violations. If a graph is not well formed, returns only the violations of
/// Rule::well_formed and Rule::rising. If the ranks issue different collectives or can deadlock, the rules on
/// the contents of buffers are not checked. Checking the contents takes about 1 us x ranks x accesses,
/// because it is done for each rank.
Violations check(RankGraphs const& step);

}  // namespace ddproxy::model
