// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/step/merged_order.hpp"

namespace ddproxy::model {

/// Follows what each element of each buffer of each rank holds, task by task, and adds to `violations` where
/// a task reads what it must not, or the state at the end is not that of the start. `nodes`: the tasks in an
/// order in which they can run. Any such order does, once conflicting accesses are known to be ordered.
void follow_contents(RankGraphs const& step, std::vector<std::vector<ClassTask>> const& nodes,
                     Violations& violations);

}  // namespace ddproxy::model
