// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/step/step_graph.hpp"
#include "model/step/violation.hpp"

namespace ddproxy::model {

/// Returns what is wrong with a step, over every schedule that its edges allow; nothing where it is right.
/// Ranks are followed one by one: the time is about ranks x accesses x 1 us. At most 20 violations are
/// returned. Where the graphs are not well formed or can deadlock, contents are not followed.
Violations check(RankGraphs const& step);

}  // namespace ddproxy::model
