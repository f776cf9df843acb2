// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/predict/graph/task_waits.hpp"

#include <map>
#include <utility>

namespace ddproxy::model {

std::vector<TaskWaits> task_waits(StepGraph const& graph) {
  std::vector<TaskWaits> tasks(graph.tasks.size());
  std::map<Lane, std::size_t> before;
  const auto wait = [&](std::size_t t, std::size_t for_task) {
    ++tasks[t].waits;
    tasks[for_task].next.push_back(t);
  };
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    for (const TaskId after : graph.tasks[t].after) wait(t, index(after));
    const auto [last, first_on_lane] = before.try_emplace(graph.tasks[t].lane, t);
    if (!first_on_lane) wait(t, std::exchange(last->second, t));
  }
  return tasks;
}

}  // namespace ddproxy::model
