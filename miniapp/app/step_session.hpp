// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "miniapp/analysis/step_figures.hpp"
#include "miniapp/app/recorder.hpp"
#include "miniapp/measure/step/step_calibration.hpp"
#include "miniapp/measure/step/step_context.hpp"
#include "miniapp/measure/step/step_meter.hpp"
#include "miniapp/options/options.hpp"

namespace ddproxy {

/// Carries out `ddproxy step`: measures whole training steps on all ranks, and records and prints on rank 0.
///
/// Order of calls, which is also the order on the machine. Construct it; first_step(), the step before
/// anything is warm; calibrate(), all-reduces alone; warm_up(), steps from the initial parameters, after
/// which all ranks must have the same parameters; predict(), from steps without communication; sample(); and
/// finish(). So nothing that is predicted was measured with compute and all-reduces together, except the
/// co-runs of calibrate(). Every method is collective unless its comment says otherwise.
class StepSession {
 public:
  /// Creates the results file on rank 0. `options` must outlive the session. Throws CollectiveError (exit
  /// code 2) if the file cannot be created.
  StepSession(Options const& options, StepContext context);

  void first_step();
  /// Chooses the MPI calls and measures a(x), kappa and gamma, as far as they are not replayed. Throws
  /// CollectiveError (exit code 3) if a sum is wrong.
  void calibrate();
  /// Takes [sweep] warmup steps, at least one. Throws CollectiveError (exit code 3) if the ranks then have
  /// different parameters, or if a parameter or the loss is not finite.
  void warm_up();
  /// Times the tasks of steps without communication, and predicts the step. If compute is replayed, predicts
  /// from the times that are replayed.
  void predict();
  /// Takes [sweep] samples. Each is a step and a step without communication, in turns which is first.
  void sample();
  /// Writes the files and prints the tables and the figure of merit.
  void finish();
  /// Writes the samples so far to FILE.part. Not collective; it uses no MPI.
  void save();
  /// Writes what is recorded so far to FILE.part and ignores a failure. Not collective.
  void close_unfinished() { recorder_.reset(); }

 private:
  bool root() const { return context_.rank.runtime.root(); }
  void say(std::string const& progress) const;
  void initialise();
  model::TableCost table() const;
  model::StepCosts costs_of(model::RankGraphs const& step, std::vector<double> const& seconds,
                            model::Contention const& contention) const;
  std::vector<double> time_tasks();
  void record_samples();
  void record_memory();

  Options const& options_;
  StepContext context_;
  StepMeter meter_;
  std::optional<Recorder> recorder_;
  std::string report_, hypothetical_;
  StepTables tables_;
  StepSample first_;
  StepPredictions predictions_;
  std::vector<StepSample> samples_;
  StepFigures figures_;
  bool oversubscribed_ = false;  // some thread of some rank has no core; known on rank 0
};

/// Runs the command step. Throws and ends as execute() does.
void execute_step(Options const& options, Runtime const& runtime);

}  // namespace ddproxy
