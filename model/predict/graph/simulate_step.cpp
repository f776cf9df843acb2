// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/predict/graph/simulate_step.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "model/predict/graph/equal_ranks.hpp"
#include "model/predict/graph/task_waits.hpp"
#include "model/step/describe.hpp"
#include "model/step/merged_order.hpp"

namespace ddproxy::model {
namespace {

/// Tasks that start and end together: the members of a collective, or a single other task.
struct Node {
  std::vector<ClassTask> members;
  std::size_t to_come = 0;  ///< number of members that are not ready
  double left = 0;          ///< work that is left at time `since`, in seconds at speed 1
  double since = 0;
  double speed = 1;
  double end = 0;
};

/// The state of one class of ranks during the simulation.
struct Rank {
  std::size_t cost_class;          ///< index into StepCosts::tasks
  std::vector<TaskWaits> tasks;    // [task]; `waits` counts down to 0
  std::vector<std::size_t> nodes;  // [task]
  std::vector<double> speeds;      // [task], valid while the task is active
  std::vector<TaskId> active = {};
  bool changed = false;  ///< true if `active` changed since the speeds were computed
};

class StepSimulation {
 public:
  /// Builds the simulation. The costs of class c of `step` are `costs.tasks[cost_classes[c]]`.
  StepSimulation(RankGraphs const& step, StepCosts const& costs, std::vector<std::size_t> const& cost_classes)
      : step_(step), costs_(costs) {
    MergedOrder order = merged_order(step);
    if (!order.violations.empty()) throw std::logic_error("simulate: " + order.violations.front().what);
    for (std::size_t c = 0; c < step.classes.size(); ++c) {
      const std::size_t tasks = step.classes[c].graph.tasks.size();
      ranks_.push_back({cost_classes[c], task_waits(step.classes[c].graph), std::vector<std::size_t>(tasks),
                        std::vector<double>(tasks)});
      traces_.push_back({std::vector<TaskTimes>(tasks)});
    }
    for (auto& members : order.nodes) {
      for (const ClassTask at : members) ranks_[at.rank_class].nodes[at.task] = nodes_.size();
      const std::size_t to_come = members.size();
      nodes_.push_back({std::move(members), to_come});
    }
  }

  std::vector<StepTrace> run() {
    start_first_tasks();
    while (!active_.empty()) {
      update_speeds();
      now_ = nodes_[*std::ranges::min_element(active_, {}, [&](std::size_t n) { return nodes_[n].end; })].end;
      const auto over =
          std::partition(active_.begin(), active_.end(), [&](std::size_t n) { return nodes_[n].end > now_; });
      const std::vector<std::size_t> ended(over, active_.end());
      active_.erase(over, active_.end());
      for (const std::size_t node : ended) end(node);
    }
    check_all_ended();
    return std::move(traces_);
  }

 private:
  TaskTimes& times(ClassTask at) { return traces_[at.rank_class].tasks[at.task]; }
  TaskCost const& cost(ClassTask at) const { return costs_.tasks[ranks_[at.rank_class].cost_class][at.task]; }

  void start_first_tasks() {
    for (std::size_t c = 0; c < ranks_.size(); ++c) {
      for (std::size_t t = 0; t < ranks_[c].tasks.size(); ++t) {
        if (ranks_[c].tasks[t].waits == 0) arrive({c, t});
      }
    }
  }

  void arrive(ClassTask at) {
    times(at).ready = now_;
    const std::size_t node = ranks_[at.rank_class].nodes[at.task];
    if (--nodes_[node].to_come == 0) start(node);
  }

  void start(std::size_t n) {
    Node& node = nodes_[n];
    node.since = now_;
    node.speed = 0;  // update_speeds() sets it
    for (const ClassTask at : node.members) {
      node.left = std::max(node.left, cost(at).seconds);
      times(at).start = now_;
      ranks_[at.rank_class].active.push_back(TaskId{at.task});
      ranks_[at.rank_class].changed = true;
    }
    active_.push_back(n);
  }

  void end(std::size_t n) {
    for (const ClassTask at : nodes_[n].members) {
      times(at).end = now_;
      Rank& rank = ranks_[at.rank_class];
      std::erase(rank.active, TaskId{at.task});
      rank.changed = true;
    }
    for (const ClassTask at : nodes_[n].members) {
      auto& tasks = ranks_[at.rank_class].tasks;
      for (const std::size_t next : tasks[at.task].next) {
        if (--tasks[next].waits == 0) arrive({at.rank_class, next});
      }
    }
    ++ended_;
  }

  void update_speeds() {
    for (Rank& rank : ranks_) {
      if (!std::exchange(rank.changed, false)) continue;
      speeds_.resize(rank.active.size());
      costs_.rates(rank.cost_class, rank.active, speeds_);
      for (std::size_t i = 0; i < speeds_.size(); ++i) rank.speeds[index(rank.active[i])] = speeds_[i];
    }
    for (const std::size_t n : active_) change_speed(nodes_[n]);
  }

  void change_speed(Node& node) {
    double speed = std::numeric_limits<double>::infinity();
    for (const ClassTask at : node.members) speed = std::min(speed, ranks_[at.rank_class].speeds[at.task]);
    if (!(speed > 0)) {
      throw std::invalid_argument("simulate: " + describe(step_, node.members.front()) +
                                  " would run at speed " + std::to_string(speed) + "; it must be positive");
    }
    if (speed == node.speed) return;
    node.left = std::max(0.0, node.left - node.speed * (now_ - node.since));
    node.since = now_;
    node.speed = speed;
    node.end = now_ + node.left / speed;
  }

  void check_all_ended() const {
    if (ended_ == nodes_.size()) return;
    std::string text = "simulate: deadlock; these tasks never start:";
    for (Node const& node : nodes_) {
      if (node.to_come > 0) text.append(" ").append(describe(step_, node.members.front())).append(";");
    }
    throw std::logic_error(text);
  }

  RankGraphs const& step_;
  StepCosts const& costs_;
  std::vector<Rank> ranks_;        // [class]
  std::vector<StepTrace> traces_;  // [class]
  std::vector<Node> nodes_;
  std::vector<std::size_t> active_;  // indices of nodes
  std::vector<double> speeds_;
  std::size_t ended_ = 0;  // number of nodes that have ended
  double now_ = 0;
};

void check_sizes(RankGraphs const& step, StepCosts const& costs) {
  bool same = costs.tasks.size() == step.classes.size();
  for (std::size_t c = 0; same && c < step.classes.size(); ++c)
    same = costs.tasks[c].size() == step.classes[c].graph.tasks.size();
  if (!same) throw std::invalid_argument("simulate: the costs have other classes or tasks than the step");
}

StepTraces traces_of(RankGraphs const& step, StepCosts const& costs,
                     std::vector<std::size_t> const& classes) {
  std::vector<StepTrace> traces = StepSimulation(step, costs, classes).run();
  StepTraces result{{}, costs.warnings};
  for (std::size_t c = 0; c < traces.size(); ++c)
    result.classes.push_back({classes[c], step.classes[c].ranks, std::move(traces[c])});
  return result;
}

}  // namespace

StepTraces simulate(RankGraphs const& step, StepCosts const& costs) {
  check_sizes(step, costs);
  const bool alike = ranks_wait_alike(step);
  std::vector<std::size_t> classes;
  for (std::size_t c = 0; c < step.classes.size(); ++c)
    classes.insert(classes.end(), alike ? 1 : step.classes[c].ranks.size(), c);
  if (alike) return traces_of(step, costs, classes);
  return traces_of(one_class_a_rank(step), costs, classes);
}

}  // namespace ddproxy::model
