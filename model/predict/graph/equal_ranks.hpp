// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/step/step_graph.hpp"

namespace ddproxy::model {

/// Returns true if the ranks of each class wait for the same classes in every collective. That holds if, on
/// each communicator, the groups of these ranks have equally many members of each class. All ranks of a class
/// then have the same times, because they start alike and each step keeps them alike.
bool ranks_wait_alike(RankGraphs const& step);

/// Returns the same step with one class per rank. The ranks of class 0 come first, in the order of `ranks`.
RankGraphs one_class_a_rank(RankGraphs const& step);

}  // namespace ddproxy::model
