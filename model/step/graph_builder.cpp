// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/step/graph_builder.hpp"

#include <map>
#include <utility>

namespace ddproxy::model {

BufferId GraphBuilder::buffer(Buffer const& buffer) {
  graph_.buffers.push_back(buffer);
  history_.add(buffer);
  return BufferId{graph_.buffers.size() - 1};
}

TaskId GraphBuilder::task(Task task) {
  const TaskId id{graph_.tasks.size()};
  std::map<Lane, TaskId> last;  // the last task to wait for on each lane
  for (auto const& tasks : {task.after, history_.conflicts(task)}) {
    for (const TaskId before : tasks) {
      const auto [found, is_new] = last.try_emplace(graph_.tasks[index(before)].lane, before);
      if (!is_new && found->second < before) found->second = before;
    }
  }
  last.erase(task.lane);
  task.after.clear();
  for (auto const& [lane, before] : last) task.after.push_back(before);
  history_.record(id, task);
  graph_.tasks.push_back(std::move(task));
  return id;
}

StepGraph GraphBuilder::finish(Expected expected) {
  graph_.expected = std::move(expected);
  history_ = {};
  return std::exchange(graph_, {});
}

}  // namespace ddproxy::model
