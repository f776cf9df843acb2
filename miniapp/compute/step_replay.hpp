// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "miniapp/compute/host_replay.hpp"
#include "model/cost/step_work.hpp"

namespace ddproxy {

/// Replays the compute tasks of a whole step, as model::whole_step() builds it, on a host: forward,
/// recompute, backward, norm, clip and update. Each task occupies the lane for the seconds that
/// model::task_seconds() returns, in the way of HostReplay. Nothing is computed: the lane has no parameters
/// and no activations, and reads no memory of the step. So the twin of a step can be larger than this
/// machine.
///
/// Order of calls: as for every ComputeLane. The lane may carry out the tasks in any order.
class StepReplay : public HostReplay {
 public:
  /// `phases` has the seconds of every operator in every phase. `copy_seconds`: seconds for each element that
  /// is copied. Throws std::invalid_argument as model::check_times() does, for the number of backward times.
  explicit StepReplay(model::PhaseCosts phases, double copy_seconds = 0);
  /// Returns whether there is a time for the task: norm, clip and update have one for any number of
  /// gradients.
  bool knows(model::Compute const& compute) const override;
  void carry_out(ComputeCall const& call) override;

 private:
  model::PhaseCosts phases_;
};

}  // namespace ddproxy
