// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "model/cost/contention.hpp"
#include "model/predict/graph/collective_costs.hpp"
#include "model/step/step_graph.hpp"

namespace ddproxy::model {

/// What a task occupies while it runs. Only tasks that occupy `compute` or `link` change each other's speed.
enum class Resource { none, compute, link };

struct TaskCost {
  double seconds = 0;  ///< alone on the machine
  Resource resource = Resource::none;
  std::size_t link = 0;  ///< collectives: which link they use
  Speeds speeds = {};    ///< collectives: kappa and gamma beside compute
};

/// Returns the speed of each of n collectives of one rank that share a link.
using SharedSpeed = std::function<double(std::size_t n)>;

/// What the tasks of a step cost alone, and how they slow each other.
struct StepCosts {
  std::vector<std::vector<TaskCost>> tasks;  ///< [class][task]
  SharedSpeed shared_speed = {};             ///< where empty: 1/n
  std::vector<std::string> warnings = {};

  /// Writes the speeds of tasks that run at the same time on a rank of the class, [active task]; 1: as fast
  /// as alone. A collective has the share s of its link, s = shared_speed(collectives on that link), and its
  /// speed is s, or s times its gamma beside compute. Compute has the product of kappa^s over the
  /// collectives. One collective beside compute thus gives kappa and gamma themselves.
  void rates(std::size_t rank_class, std::span<TaskId const> active, std::span<double> speeds) const;
};

/// From what step_costs() takes the costs.
struct CostModel {
  /// Seconds of a task that is neither a collective nor a HostWait, alone on the machine. A HostWait itself
  /// takes no time.
  std::function<double(std::size_t rank_class, Task const& task)> seconds;
  CollectiveCosts collectives = {};
  Contention contention = {};              ///< by bytes on the wire
  std::map<Lane, std::size_t> links = {};  ///< communication lanes that are not listed use link 0
  SharedSpeed shared_speed = {};           ///< where empty: 1/n
};

/// Returns the cost of every task. A group of sends and receives takes as long as the longest of them. A
/// collective over groups of one rank takes no time. All tasks on compute lanes slow collectives and are
/// slowed by them, save copies out of buckets. Throws std::invalid_argument for a missing table, and for a
/// time that is negative or not finite.
StepCosts step_costs(RankGraphs const& step, CostModel const& model);

/// Returns the seconds of the Compute tasks of a class, alone on the machine: T_compute.
double compute_seconds(StepGraph const& graph, StepCosts const& costs, std::size_t rank_class);

}  // namespace ddproxy::model
