// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "model/step/step_graph.hpp"

namespace ddproxy::model {

/// What a task waits for on its own rank, and what waits for it.
struct TaskWaits {
  std::size_t waits = 0;          ///< for so many tasks to end, the one before it on its lane included
  std::vector<std::size_t> next;  ///< the tasks that wait for this one; twice where for two reasons
};

/// Returns the waits of every task of a graph, [task].
std::vector<TaskWaits> task_waits(StepGraph const& graph);

}  // namespace ddproxy::model
