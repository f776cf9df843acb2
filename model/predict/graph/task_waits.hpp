// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "model/step/step_graph.hpp"

namespace ddproxy::model {

/// The tasks of the same rank that a task waits for, and the tasks that wait for it. A task waits for its
/// dependencies and for the previous task on its lane. If one of the dependencies is this previous task, it
/// is counted twice.
struct TaskWaits {
  std::size_t waits = 0;          ///< number of tasks that must end first
  std::vector<std::size_t> next;  ///< tasks that wait for this task
};

/// Returns the TaskWaits of every task of a graph, [task].
std::vector<TaskWaits> task_waits(StepGraph const& graph);

}  // namespace ddproxy::model
