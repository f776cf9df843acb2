// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <optional>

#include "model/predict/graph/live_memory.hpp"
#include "model/step/step_graph.hpp"
#include "model/step/step_trace.hpp"

namespace ddproxy::model {

struct LaneSummary {
  double busy = 0;     ///< seconds from start to end, summed over its tasks
  double waiting = 0;  ///< seconds from ready to start: a collective waits for its other members
};

/// What a rank's step amounts to, in seconds. E = slowdown + tail.
struct Summary {
  double total = 0;          ///< T: until the step is over
  double compute_busy = 0;   ///< the compute lanes carried out tasks, copies included
  double compute_end = 0;    ///< end of the last task on a compute lane, copies out of buckets apart
  double compute_alone = 0;  ///< T_compute: what the Compute tasks take without communication
  double exposed = 0;        ///< E = T - T_compute
  double slowdown = 0;       ///< compute_end - T_compute: stretched by contention, copies in, idle in between
  double tail = 0;           ///< T - compute_end
  double bubble = 0;         ///< T - compute_busy: the compute lane was idle
  std::map<Lane, LaneSummary> lanes;
  LiveMemory memory;
};

/// What a trace alone cannot tell.
struct SummaryBasis {
  /// T_compute, for instance compute_seconds() or a measured pass without communication. Where it is not
  /// given, the Compute tasks' times in the trace are taken, which include what contention adds.
  std::optional<double> compute_alone = std::nullopt;
  /// When the step is over, for instance StepTraces::end(). Where it is not given: the rank's own last task.
  std::optional<double> total = std::nullopt;
};

/// Summarises a measured or simulated trace of a graph. Throws std::invalid_argument where the trace has
/// another number of tasks.
Summary summarise(StepGraph const& graph, StepTrace const& trace, SummaryBasis const& basis = {});

}  // namespace ddproxy::model
