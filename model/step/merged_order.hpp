// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "model/step/step_graph.hpp"
#include "model/step/violation.hpp"

namespace ddproxy::model {

/// The tasks of all classes in an order in which they can run. Tasks that wait for each other, the members of
/// a collective, stand together.
struct MergedOrder {
  std::vector<std::vector<ClassTask>> nodes;
  Violations violations;  ///< of same_order and no_deadlock; `nodes` is empty where there is one
};

/// Matches the n-th collective that each member of a group issues on a communicator with the n-th of the
/// others, and sorts the tasks topologically. Ranks of one class stand for each other: a circle over ranks is
/// a circle over classes too.
MergedOrder merged_order(RankGraphs const& step);

/// The class of each rank, [rank].
std::vector<std::size_t> class_of_ranks(RankGraphs const& step);

}  // namespace ddproxy::model
