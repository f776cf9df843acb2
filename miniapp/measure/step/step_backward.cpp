// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/measure/step/step_backward.hpp"

namespace ddproxy {

StepBackward::StepBackward(StepLane& lane, CompiledStep const& step)
    : lane_(lane), step_(step), calls_(lane.operations()) {
  auto const& phases = step.phases();
  for (std::size_t i = 0; i < phases.size(); ++i)
    if (phases[i].compute.phase == model::Phase::backward && phases[i].compute.micro_batch == 0)
      calls_[model::index(phases[i].compute.op)].push_back(i);
}

void StepBackward::run(std::size_t operation) {
  for (const std::size_t call : calls_[operation]) lane_.carry_out(step_.phases()[call]);
}

}  // namespace ddproxy
