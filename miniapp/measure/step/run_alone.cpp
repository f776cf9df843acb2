// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/measure/step/run_alone.hpp"

#include <algorithm>

#include "miniapp/errors/clock.hpp"

namespace ddproxy {
namespace {

bool runs(Launch const& launch) {
  return launch.kind == Launch::Kind::phase || launch.kind == Launch::Kind::copy;
}

}  // namespace

model::StepTrace run_alone(CompiledStep& step, ComputeLane& lane) {
  const auto launches = step.launches();
  const auto start = Clock::now();
  lane.begin();
  for (std::size_t i = 0; i < launches.size(); ++i) {
    Launch const& launch = launches[i];
    if (!runs(launch)) continue;
    if (launch.kind == Launch::Kind::phase)
      lane.carry_out(step.phases()[launch.operation]);
    else
      lane.copy(launch.slice, launch.to);
    step.ends()[i] = lane.completion();
  }
  lane.fence();
  model::StepTrace trace;
  double now = 0;  // when the previous task ended
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const double end =
        runs(launches[i]) ? std::max(now, seconds_between(start, moment_of(step.ends()[i]))) : now;
    trace.tasks.push_back({now, now, end});
    now = end;
  }
  return trace;
}

}  // namespace ddproxy
