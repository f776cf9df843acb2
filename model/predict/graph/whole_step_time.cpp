// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/predict/graph/whole_step_time.hpp"

#include <utility>

#include "model/predict/graph/simulate_step.hpp"

namespace ddproxy::model {

WholeStepTime whole_step_time(RankGraphs const& step, StepCosts const& costs) {
  StepTraces traces = simulate(step, costs);
  const double end = traces.end();
  StepTrace trace = std::move(traces.classes.front().trace);
  StepGraph const& graph = step.classes.front().graph;
  const PhaseSeconds phases = phase_seconds(graph, trace, end);
  return {phases, compute_seconds(graph, costs, 0), std::move(trace)};
}

}  // namespace ddproxy::model
