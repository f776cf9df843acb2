// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/step/step_graph.hpp"
#include "model/step/violation.hpp"

namespace ddproxy::model {

/// Checks the graphs of a step against the rules of `Rule` and returns the violations. An empty result proves
/// the step right for every schedule that its graphs allow.
///
/// Returns at most 20 violations. If the graphs are not well formed, returns only those violations. If the
/// ranks issue different collectives or can deadlock, does not follow the contents of the buffers. The
/// contents are followed for each rank, which takes about 1 us x ranks x accesses.
Violations check(RankGraphs const& step);

}  // namespace ddproxy::model
