// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/step/step_graph.hpp"

namespace ddproxy::model {

/// Returns whether the ranks of each class wait for the same classes in every collective: on each
/// communicator their groups hold as many members of each class. Then all ranks of a class have the same
/// times, as all of them start alike and each step keeps them alike.
bool ranks_wait_alike(RankGraphs const& step);

/// Returns the same step with a class for each rank: those of class 0 first, in the order of `ranks`.
RankGraphs one_class_a_rank(RankGraphs const& step);

}  // namespace ddproxy::model
