// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/step/host_waits.hpp"

#include <algorithm>
#include <utility>

#include "model/step/describe.hpp"

namespace ddproxy::model {
namespace {

class HostWaits {
 public:
  StepGraph insert(StepGraph graph) {
    for (Task& task : graph.tasks) {
      for (TaskId& before : task.after) before = moved_[index(before)];
      if (task.lane.kind == LaneKind::compute) wait_before(task);
      moved_.push_back(TaskId{tasks_.size()});
      tasks_.push_back(std::move(task));
    }
    graph.tasks = std::move(tasks_);
    return graph;
  }

 private:
  // Moves the collectives that the task waits for to a HostWait before it.
  void wait_before(Task& task) {
    const auto collectives = std::stable_partition(task.after.begin(), task.after.end(), [&](TaskId before) {
      return collectives_of(tasks_[index(before)]).empty();
    });
    if (collectives == task.after.end()) return;
    tasks_.push_back(
        {.work = HostWait{}, .accesses = {}, .lane = task.lane, .after = {collectives, task.after.end()}});
    task.after.erase(collectives, task.after.end());
  }

  std::vector<Task> tasks_;    // of the new graph
  std::vector<TaskId> moved_;  // [task of the old graph] its id in the new graph
};

}  // namespace

RankGraphs with_host_waits(RankGraphs step) {
  for (RankClass& each : step.classes) each.graph = HostWaits().insert(std::move(each.graph));
  return step;
}

bool has_host_waits(StepGraph const& graph) {
  return std::ranges::any_of(graph.tasks, [](Task const& task) {
    return std::holds_alternative<HostWait>(task.work) && !task.after.empty();
  });
}

}  // namespace ddproxy::model
