// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "model/step/step_graph.hpp"
#include "model/step/violation.hpp"

namespace ddproxy::model {

/// The tasks of all classes, in an order in which they can run. Each node has the tasks that run together:
/// the tasks of all members of a collective, or a single other task.
struct MergedOrder {
  std::vector<std::vector<ClassTask>> nodes;
  Violations violations;  ///< only of the rules same_order and no_deadlock; `nodes` is empty if there are any
};

/// Sorts the tasks of all classes topologically. Before that, it matches the collectives that the members of
/// a group issue on a communicator: the n-th collectives of all members are one collective. It is enough to
/// look at classes instead of ranks: if ranks wait for each other in a circle, then their classes wait for
/// each other in a circle, too.
MergedOrder merged_order(RankGraphs const& step);

/// Returns, for each rank, the index of its class in RankGraphs::classes, [rank].
std::vector<std::size_t> class_of_ranks(RankGraphs const& step);

}  // namespace ddproxy::model
