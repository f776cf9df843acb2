// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "miniapp/measure/step/step_context.hpp"
#include "model/predict/graph/phase_seconds.hpp"

namespace ddproxy {

/// Runs whole steps on all ranks and gathers their times. Every method is collective; the results are
/// complete on rank 0 only, except where a comment says otherwise. `context` outlives the object.
class StepMeter {
 public:
  explicit StepMeter(StepContext& context) : context_(context) {}

  /// Runs one step. Returns the phases of the rank whose step ends last; `step` is the end of that rank.
  model::PhaseSeconds step();
  /// Runs one step without communication and keeps the seconds of its tasks. Returns the compute of the
  /// slowest rank, in seconds.
  double alone();
  /// Returns the seconds of each task of the graph without communication: the medians of all runs of alone()
  /// so far, of the rank whose tasks take longest together.
  std::vector<double> task_seconds() const;
  /// Returns the mean loss over the ranks in the last step, on all ranks. Not available if compute is
  /// replayed.
  double loss() const;
  /// Returns whether all ranks have the same parameters, bit for bit as far as a checksum tells, and all of
  /// them are finite. On all ranks. It is so after steps that average the gradients, and if there are no
  /// parameters, because compute is replayed.
  bool equal_parameters() const;

 private:
  StepContext& context_;
  std::vector<std::vector<double>> alone_;  // [task][run] seconds on this rank
};

}  // namespace ddproxy
