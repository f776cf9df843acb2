// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "model/step/step_graph.hpp"

namespace ddproxy::model {

/// Tells which tasks of one rank have ended before another starts, in every schedule: a vector clock with one
/// entry a lane (Fidge 1988, Mattern 1989). Needs tasks that wait only for tasks before them in the list.
class LaneClocks {
 public:
  explicit LaneClocks(StepGraph const& graph);

  /// Returns whether `a` has always ended when `b` starts.
  bool before(TaskId a, TaskId b) const { return ended_[index(b)][lane_[index(a)]] > place_[index(a)]; }

 private:
  std::vector<std::size_t> lane_;                // [task]
  std::vector<std::size_t> place_;               // [task], on its lane
  std::vector<std::vector<std::size_t>> ended_;  // [task][lane]: so many tasks of the lane have ended
};

}  // namespace ddproxy::model
