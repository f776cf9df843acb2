// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/step/merged_order.hpp"

namespace ddproxy::model {

/// Follows the content of every element of every buffer on every rank, task by task. Adds a violation if a
/// task reads something other than it expects, or if a buffer does not contain at the end of the step what
/// its at_exit says. Also calls check_kept_elements() (kept_elements.hpp).
///
/// `nodes` are the tasks in an order in which they can run, as merged_order() (merged_order.hpp) returns
/// them. One such order is enough if conflicting accesses are ordered (Rule::ordered): then every order has
/// the same result.
void follow_contents(RankGraphs const& step, std::vector<std::vector<ClassTask>> const& nodes,
                     Violations& violations);

}  // namespace ddproxy::model
