// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "model/step/step_graph.hpp"

namespace ddproxy::model {

/// Tells which tasks of one rank have ended in every schedule before another task starts. Uses a vector clock
/// with one entry for each lane (Fidge 1988, Mattern 1989). The graph must be in topological order.
class LaneClocks {
 public:
  /// Computes the clocks of all tasks of `graph`. Keeps no reference to `graph`.
  explicit LaneClocks(StepGraph const& graph);

  /// Returns true if task `a` has ended in every schedule when task `b` starts.
  bool before(TaskId a, TaskId b) const { return ended_[index(b)][lane_[index(a)]] > place_[index(a)]; }

 private:
  std::vector<std::size_t> lane_;                // [task]
  std::vector<std::size_t> place_;               // [task]: its position on its lane
  std::vector<std::vector<std::size_t>> ended_;  // [t][lane]: number of the lane's tasks that end before t
};

}  // namespace ddproxy::model
