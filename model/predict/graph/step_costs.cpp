// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/predict/graph/step_costs.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "model/step/describe.hpp"

namespace ddproxy::model {
namespace {

bool is_compute(Task const& task) {
  auto const* copy = std::get_if<Copy>(&task.work);
  return task.lane.kind == LaneKind::compute && !(copy && copy->kind == CopyKind::out_of_bucket);
}

class CostTable {
 public:
  CostTable(RankGraphs const& step, CostModel const& model)
      : step_(step), model_(model), collectives_(model.collectives) {}

  StepCosts fill() {
    StepCosts costs{{}, model_.shared_speed};
    for (std::size_t c = 0; c < step_.classes.size(); ++c) {
      auto& table = costs.tasks.emplace_back();
      for (Task const& task : step_.classes[c].graph.tasks) table.push_back(cost(c, task));
      add_handovers(step_.classes[c].graph.tasks, table);
    }
    costs.warnings = collectives_.warnings();
    return costs;
  }

 private:
  // Adds the handover to the first collective of each lane between two operators in the list. The compute
  // side hands all collectives between the two operators over when it begins the second operator.
  void add_handovers(std::vector<Task> const& tasks, std::vector<TaskCost>& costs) const {
    if (model_.handover == 0) return;
    std::map<Lane, std::size_t> posted;  // the first collective of each lane since the last operator
    for (std::size_t t = 0; t < tasks.size(); ++t) {
      if (costs[t].resource == Resource::link) posted.emplace(tasks[t].lane, t);
      if (!std::holds_alternative<Compute>(tasks[t].work) || costs[t].seconds == 0) continue;
      for (auto const& [lane, first] : posted)
        if (costs[first].seconds > 0) costs[first].seconds += model_.handover;
      posted.clear();
    }
  }

  TaskCost cost(std::size_t rank_class, Task const& task) {
    const auto collectives = collectives_of(task);
    if (!collectives.empty()) return longest(task, collectives);
    if (std::holds_alternative<HostWait>(task.work)) return {};
    const double seconds = model_.seconds(rank_class, task);
    if (!std::isfinite(seconds) || seconds < 0) {
      throw std::invalid_argument("step costs: " + describe(task) + " of class " +
                                  std::to_string(rank_class) + " takes " + std::to_string(seconds) +
                                  " s; a time must be finite and not negative");
    }
    return {seconds, is_compute(task) ? Resource::compute : Resource::none};
  }

  TaskCost longest(Task const& task, std::vector<Collective> const& collectives) {
    const auto link = model_.links.find(task.lane);
    TaskCost cost{-1, Resource::link, link == model_.links.end() ? 0 : link->second};
    for (std::size_t i = 0; i < collectives.size(); ++i) {
      const std::int64_t bytes =
          static_cast<std::int64_t>(full_elements(step_, task, i)) * bytes_of(collectives[i].wire);
      const double seconds = alone(collectives[i], bytes);
      if (seconds <= cost.seconds) continue;
      cost.seconds = seconds;
      cost.speeds = model_.contention(bytes);
    }
    return cost;
  }

  double alone(Collective const& each, std::int64_t bytes) {
    auto const& groups = step_.communicators[index(each.communicator)].groups;
    return groups.front().size() < 2 ? 0 : collectives_(each.verb, each.communicator, bytes);
  }

  RankGraphs const& step_;
  CostModel const& model_;
  CollectiveCosts collectives_;
};

double share_of(SharedSpeed const& shared_speed, std::size_t on_link) {
  if (on_link < 2) return 1;
  return shared_speed ? shared_speed(on_link) : 1.0 / static_cast<double>(on_link);
}

}  // namespace

void StepCosts::rates(std::size_t rank_class, std::span<TaskId const> active,
                      std::span<double> speeds) const {
  auto const& all = tasks[rank_class];
  const auto of = [&](TaskId task) -> TaskCost const& { return all[index(task)]; };
  const bool computes =
      std::ranges::any_of(active, [&](TaskId task) { return of(task).resource == Resource::compute; });
  double compute = 1;
  for (std::size_t i = 0; i < active.size(); ++i) {
    TaskCost const& mine = of(active[i]);
    speeds[i] = 1;
    if (mine.resource != Resource::link) continue;
    const auto on_link = std::ranges::count_if(active, [&](TaskId task) {
      return of(task).resource == Resource::link && of(task).link == mine.link;
    });
    const double share = share_of(shared_speed, static_cast<std::size_t>(on_link));
    speeds[i] = computes ? share * mine.speeds.gamma : share;
    compute *= share == 1 ? mine.speeds.kappa : std::pow(mine.speeds.kappa, share);
  }
  for (std::size_t i = 0; i < active.size(); ++i) {
    if (of(active[i]).resource == Resource::compute) speeds[i] = compute;
  }
}

StepCosts step_costs(RankGraphs const& step, CostModel const& model) {
  return CostTable(step, model).fill();
}

double compute_seconds(StepGraph const& graph, StepCosts const& costs, std::size_t rank_class) {
  double sum = 0;
  for (std::size_t t = 0; t < graph.tasks.size(); ++t) {
    if (std::holds_alternative<Compute>(graph.tasks[t].work)) sum += costs.tasks[rank_class][t].seconds;
  }
  return sum;
}

}  // namespace ddproxy::model
