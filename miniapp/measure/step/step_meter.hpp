// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "miniapp/measure/step/step_context.hpp"
#include "model/predict/graph/phase_seconds.hpp"

namespace ddproxy {

/// Runs whole steps on all ranks and gathers their times. Every method except trace() is collective. The
/// results are complete on rank 0 only, except where a comment says otherwise.
class StepMeter {
 public:
  /// Takes a reference only: `context` must outlive this object.
  explicit StepMeter(StepContext& context) : context_(context) {}

  /// Runs one step. Returns the times of its phases in seconds, those of the rank whose step took longest.
  /// PhaseSeconds::step is the time of the whole step on that rank.
  model::PhaseSeconds step();
  /// Returns the trace of this rank's last step(). Before the first step() the trace has no tasks.
  model::StepTrace const& trace() const { return trace_; }
  /// Runs one step with run_alone() and keeps the seconds of its tasks. Returns the compute time in seconds,
  /// without copies, the maximum over the ranks, on all ranks. Afterwards the ranks have different
  /// parameters.
  double alone();
  /// Returns the seconds of each task of the graph without communication. Each is the median over all runs of
  /// alone() so far. The result has the times of one rank: that with the largest sum over all tasks.
  std::vector<double> task_seconds() const;
  /// Returns the loss of the last step: the mean over the ranks, the same on all ranks. Returns NaN if
  /// compute is replayed.
  double loss() const;
  /// Returns whether all ranks have the same parameters and all parameters are finite; the result is the same
  /// on all ranks. Compares checksums of the parameters. Shards are compared with those of the other ranks
  /// that have the same part of the model. After steps that average the gradients, the result must be true.
  /// It is also true if compute is replayed, because then there are no parameters.
  bool equal_parameters() const;

 private:
  bool has_equal_copies(std::size_t buffer) const;

  StepContext& context_;
  model::StepTrace trace_;
  std::vector<std::vector<double>> alone_;  // [task][run] seconds on this rank
};

}  // namespace ddproxy
