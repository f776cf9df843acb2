// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "model/step/step_graph.hpp"

namespace ddproxy::model {

/// The dependencies of a task on its own rank: what it waits for, and what waits for it.
struct TaskWaits {
  std::size_t waits = 0;          ///< number of tasks that must end first, with the previous task of its lane
  std::vector<std::size_t> next;  ///< tasks that wait for this one; a task with two reasons is listed twice
};

/// Returns the dependencies of every task of a graph, [task].
std::vector<TaskWaits> task_waits(StepGraph const& graph);

}  // namespace ddproxy::model
