// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <optional>

#include "model/predict/graph/live_memory.hpp"
#include "model/step/step_graph.hpp"
#include "model/step/step_trace.hpp"

namespace ddproxy::model {

/// The times of a rank's step, in seconds. E = slowdown + tail.
struct Summary {
  double total = 0;          ///< T: end of the step
  double compute_end = 0;    ///< end of the last task on a compute lane, not counting copies out of buckets
  double compute_alone = 0;  ///< T_compute: time of the Compute tasks without communication
  double exposed = 0;        ///< E = T - T_compute
  double slowdown = 0;       ///< compute_end - T_compute: contention, copies into buckets and idle time
  double tail = 0;           ///< T - compute_end
  /// T minus the busy time of compute lane 0: the time in which this lane carries out no task.
  double bubble = 0;
  /// The busy time of each lane: the time from start to end, summed over the tasks of the lane. Compute lanes
  /// come first. Compute lane 0 is always there. A HostWait is not busy time, because its lane only waits. So
  /// a HostWait counts as bubble.
  std::map<Lane, double> lane_busy;
  LiveMemory memory;
};

/// Values that a trace of one rank does not contain.
struct SummaryBasis {
  /// T_compute, for instance from compute_seconds() or from a measured pass without communication. If it is
  /// not given, the times of the Compute tasks in the trace are summed; these include contention.
  std::optional<double> compute_alone = std::nullopt;
  /// T, for instance from StepTraces::end(). If it is not given, it is the end of the rank's last task.
  std::optional<double> total = std::nullopt;
};

/// Summarises a measured or simulated trace of a graph. Throws std::invalid_argument if the trace and the
/// graph have different numbers of tasks.
Summary summarise(StepGraph const& graph, StepTrace const& trace, SummaryBasis const& basis = {});

}  // namespace ddproxy::model
