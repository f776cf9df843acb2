// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/step/step_graph.hpp"
#include "model/step/step_trace.hpp"

namespace ddproxy::model {

/// What a rank's compute lane does in a step, in seconds. The members up to `waiting` add up to `step`.
struct PhaseSeconds {
  double forward = 0;
  double recompute = 0;  ///< computes activations again that were not kept
  double backward = 0;
  double clip = 0;     ///< norm and clip tasks; scaling within the update counts as update
  double update = 0;   ///< updates the parameters
  double copies = 0;   ///< copies gradients into buckets and out of them
  double waiting = 0;  ///< the compute lane is idle; other lanes or ranks still work
  double step = 0;     ///< T: from 0 to the end of the last task
  /// Time of the HostWaits: from the end of the collectives until the host continues. Included in `waiting`.
  double host_waits = 0;

  /// Returns the time of the Compute tasks: T_compute, lengthened by contention.
  double compute() const { return forward + recompute + backward + clip + update; }
};

/// Returns the seconds of the tasks of compute lane 0, summed by phase, from a measured or simulated trace.
/// `step_end` is the end of the step over all ranks, for instance StepTraces::end(). Without `step_end` the
/// step ends with the rank's last task. Throws std::invalid_argument if the trace and the graph have
/// different numbers of tasks.
PhaseSeconds phase_seconds(StepGraph const& graph, StepTrace const& trace);
PhaseSeconds phase_seconds(StepGraph const& graph, StepTrace const& trace, double step_end);

}  // namespace ddproxy::model
