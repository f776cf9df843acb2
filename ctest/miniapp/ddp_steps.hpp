// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "miniapp/input/workload.hpp"
#include "miniapp/measure/pass/compiled_step.hpp"
#include "model/step/strategies/ddp.hpp"

namespace ddproxy {

/// Returns the index of the first element of each buffer of a graph: `gradients_at` for gradients, else 0.
inline std::vector<std::size_t> test_places(model::StepGraph const& graph, std::size_t gradients_at = 0) {
  std::vector<std::size_t> places;
  for (auto const& buffer : graph.buffers)
    places.push_back(buffer.kind == model::BufferKind::gradient ? gradients_at : 0);
  return places;
}

/// Returns the workload with each gradient declared complete one operation too early.
inline Workload one_operation_early(Workload workload) {
  model::TensorLayout early;
  for (auto gradient : workload.pass.gradients) {
    gradient.operation -= gradient.operation > 0;
    early.push_back(gradient);
  }
  workload.pass.gradients = early;
  return workload;
}

/// Returns the compiled step of one of two ranks. Its buckets are those of `step`.
inline CompiledStep ddp_step(Workload const& workload, model::Ddp const& step, std::size_t gradients_at = 0) {
  const auto graph = model::ddp(workload.pass, step, 2).classes.front().graph;
  return {graph, test_places(graph, gradients_at)};
}

}  // namespace ddproxy
