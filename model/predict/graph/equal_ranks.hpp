// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/step/step_graph.hpp"

namespace ddproxy::model {

/// Returns true if all ranks of a class wait for the same classes in every collective. For each communicator
/// it compares the groups to which the ranks of one class belong. All these groups must have the same
/// composition: the same number of members of each class. All ranks of a class then have the same times.
bool ranks_wait_alike(RankGraphs const& step);

/// Returns the same step with one class per rank. The ranks of class 0 come first, in the order of
/// RankClass::ranks.
RankGraphs one_class_a_rank(RankGraphs const& step);

}  // namespace ddproxy::model
