// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/predict/graph/phase_seconds.hpp"
#include "model/predict/graph/step_costs.hpp"
#include "model/step/step_graph.hpp"
#include "model/step/step_trace.hpp"

namespace ddproxy::model {

/// The simulated times of a whole step, in seconds. Phases and trace are those of the first class of ranks.
struct WholeStepTime {
  PhaseSeconds phases;   ///< with communication; `phases.step` is T over all ranks
  double alone = 0;      ///< T_compute: compute of the same step without communication
  StepTrace trace = {};  ///< times of all tasks
  /// Returns E, the exposed communication, in seconds.
  double exposed() const { return phases.step - alone; }
};

/// Simulates a step that whole_step() (whole_step.hpp) built. `costs` has the costs of its tasks. Throws
/// what simulate() (simulate_step.hpp) throws.
WholeStepTime whole_step_time(RankGraphs const& step, StepCosts const& costs);

}  // namespace ddproxy::model
