// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "miniapp/compute/replay/host_replay.hpp"
#include "model/cost/step_work.hpp"

namespace ddproxy {

/// Replays, on a host, the compute tasks of a whole step (model/step/strategies/whole_step.hpp): forward,
/// recompute, backward, norm, clip and update. Each task occupies the lane as an operator of HostReplay does,
/// for the seconds that model::task_seconds() (model/cost/step_work.hpp) returns. Nothing is computed. The
/// lane has no parameters and no activations, and it does not read the memory of the step. So it can replay a
/// step that does not fit into the memory of this machine.
///
/// Order of calls: that of ComputeLane (compute_lane.hpp). The tasks may come in any order.
class StepReplay : public HostReplay {
 public:
  /// Takes the times: `phases` has the seconds of every operator in every phase, and `copy_seconds` is the
  /// time for each element that is copied. All phases must have times for the same number of operators; the
  /// recompute phase may also be empty. Throws std::invalid_argument otherwise.
  explicit StepReplay(model::PhaseCosts phases, double copy_seconds = 0);
  /// Returns whether the lane has a time for the task. It always has one for norm, clip and update.
  bool knows(model::Compute const& compute) const override;
  void carry_out(ComputeCall const& call) override;

 private:
  model::PhaseCosts phases_;
};

}  // namespace ddproxy
