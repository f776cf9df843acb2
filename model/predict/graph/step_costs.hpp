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

/// The resource that a task occupies. Only tasks on `compute` or `link` change each other's speed.
enum class Resource { none, compute, link };

/// The cost of one task.
struct TaskCost {
  double seconds = 0;  ///< seconds while no other task runs
  Resource resource = Resource::none;
  std::size_t link = 0;  ///< for collectives: the link that they use
  Speeds speeds = {};    ///< for collectives: relative speeds while compute runs (model/cost/contention.hpp)
};

/// Returns the speed of each of n collectives of one rank that share a link (1: as fast as alone).
using SharedSpeed = std::function<double(std::size_t n)>;

/// The costs of a step's tasks when they run alone, and the rule by which they slow each other.
struct StepCosts {
  std::vector<std::vector<TaskCost>> tasks;  ///< [class][task]
  SharedSpeed shared_speed = {};             ///< empty: each of n collectives has the speed 1/n
  /// Costs that were derived from the cost of another collective, one sentence each.
  std::vector<std::string> warnings = {};

  /// Writes the speed of each task of `active` to `speeds`, [active task] (1: as fast as alone). These tasks
  /// run at the same time on a rank of class `rank_class`.
  ///
  /// A collective gets the share h of its link: h = shared_speed(number of active collectives on that link).
  /// The speed of the collective is h, or h gamma while compute runs. The speed of compute is the product of
  /// kappa^h over all active collectives. If one collective and compute run at the same time, their speeds
  /// are thus exactly gamma and kappa.
  void rates(std::size_t rank_class, std::span<TaskId const> active, std::span<double> speeds) const;
};

/// The data from which step_costs() computes the costs.
struct CostModel {
  /// Returns the seconds of a task while no other task runs. It is called for all tasks except collectives
  /// and HostWaits. A HostWait itself takes no time.
  std::function<double(std::size_t rank_class, Task const& task)> seconds;
  CollectiveCosts collectives = {};
  /// kappa and gamma as functions of the full size of a collective, in bytes in the wire format.
  Contention contention = {};
  /// Seconds to hand a collective over to the communication thread; the cost tables do not contain this time.
  /// It is added to a collective if an operator follows the collective in the list of tasks. Collectives of
  /// one lane with no operator between them are handed over together, so the time is added only to the first
  /// one.
  double handover = 0;
  std::map<Lane, std::size_t> links = {};  ///< link of each communication lane; lanes without one use link 0
  SharedSpeed shared_speed = {};           ///< empty: each of n collectives has the speed 1/n
};

/// Returns the cost of every task. A group of sends and receives takes as long as the longest of them. A
/// collective over groups of one rank takes no time. Tasks on compute lanes and collectives slow each other,
/// except for copies out of buckets. Throws std::invalid_argument for a missing table, and for a time that is
/// negative or not finite.
StepCosts step_costs(RankGraphs const& step, CostModel const& model);

/// Returns T_compute: the sum of the seconds of all Compute tasks of a class, without communication.
double compute_seconds(StepGraph const& graph, StepCosts const& costs, std::size_t rank_class);

}  // namespace ddproxy::model
