// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/compute/replay/step_replay.hpp"

#include <cstdint>
#include <utility>

namespace ddproxy {
namespace {

using model::Phase;

std::int64_t gradients_of(ComputeCall const& call) {
  std::int64_t sum = 0;
  for (PlacedAccess const& access : call.accesses)
    if (access.content == model::Content::gradient) sum += static_cast<std::int64_t>(access.slice.count);
  return sum;
}

}  // namespace

StepReplay::StepReplay(model::PhaseCosts phases, double copy_seconds)
    : HostReplay(phases.backward, copy_seconds), phases_(std::move(phases)) {
  model::check_times(phases_, phases_.backward.size());
}

bool StepReplay::knows(model::Compute const& compute) const {
  const bool of_model = compute.phase == Phase::forward || compute.phase == Phase::recompute ||
                        compute.phase == Phase::backward;
  return !of_model || index(compute.op) < phases_.backward.size();
}

void StepReplay::carry_out(ComputeCall const& call) {
  hold(model::task_seconds(phases_, call.compute, gradients_of(call)));
}

}  // namespace ddproxy
