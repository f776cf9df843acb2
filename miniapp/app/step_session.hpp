// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "miniapp/app/record/recorder.hpp"
#include "miniapp/input/options/options.hpp"
#include "miniapp/measure/step/step_calibration.hpp"
#include "miniapp/measure/step/step_context.hpp"
#include "miniapp/measure/step/step_meter.hpp"
#include "miniapp/predict/analysis/step_figures.hpp"

namespace ddproxy {

/// Carries out `ddproxy step`. All ranks measure whole training steps; rank 0 records and prints.
///
/// Order of calls, which is also the order of the measurements:
///
///     first_step()   takes the first step of the run, before anything is warm
///     calibrate()    measures all-reduces, alone and while compute runs
///     verify()       runs the step once with known numbers, and compares every element
///     warm_up()      takes steps from the initial parameters, and compares the parameters of all ranks
///     predict()      measures steps without communication, and predicts the step
///     sample()       measures steps with and without communication
///     finish()       writes the results file with the timeline of the last step, and prints the tables
///
/// The prediction thus uses no step with communication. It uses only one measurement in which compute and
/// all-reduces run at the same time: the contention runs of calibrate(), which give kappa and gamma.
///
/// Every method is collective unless its comment says otherwise. CollectiveError is declared in
/// miniapp/machine/runtime.hpp.
class StepSession {
 public:
  /// Creates the results file on rank 0. `options` must outlive the session. `earlier` are the samples that
  /// this run continues; the config of the context has their number, too. Throws CollectiveError if the
  /// file cannot be created (exit code 2) or the disk is full (exit code 4).
  StepSession(Options const& options, StepContext context, EarlierRounds earlier);

  /// Initialises the parameters and times the first step.
  void first_step();
  /// Chooses the MPI calls and measures a(x), kappa and gamma. In a sharded step also measures the times of
  /// its other collectives. Does not measure a(x) and these times if all-reduces are replayed, and does not
  /// measure kappa and gamma if compute is replayed. Throws CollectiveError (exit code 3) if a collective
  /// gave a wrong result.
  void calibrate();
  /// Fills the buffers with NaN, runs the compiled step once with known numbers, and compares every element
  /// (verify_step() in miniapp/measure/step/verify_context.hpp). If collectives are replayed, checks only the
  /// order of the tasks. The parameters are not valid afterwards; warm_up() initialises them. Throws
  /// CollectiveError (exit code 3) if a rank finds an error.
  void verify();
  /// Initialises the parameters. Takes as many steps as [sweep] warmup says, but at least one. Throws
  /// CollectiveError (exit code 3) if the ranks then have different parameters, or if a parameter or the loss
  /// is not finite.
  void warm_up();
  /// Times the tasks of steps without communication, and predicts the step. If compute is replayed, predicts
  /// from the times that are replayed. Throws CollectiveError (exit code 75) if a signal arrived.
  void predict();
  /// Takes as many samples as [sweep] samples says, minus those of the runs that this run continues, but at
  /// least one. A sample consists of one step and one step without communication; which of the two comes
  /// first alternates. Records each sample, and writes FILE.part from time to time
  /// (results::Writer::flush_if_due()). Throws CollectiveError if a signal arrived (exit code 75) or the disk
  /// is full (exit code 4).
  void sample();
  /// Gathers the traces of the last step and finishes the results file. Then prints the tables and the figure
  /// of merit, and writes the files of --json and --trace if the options name them. Throws CollectiveError if
  /// a file cannot be written (exit code 4), or if the file of --json or --trace cannot be created (exit code
  /// 2; the results file is then finished). Throws std::runtime_error on a rank whose device reports
  /// an error; the other ranks do not throw.
  void finish();
  /// Writes all samples so far and their statistics to the unfinished file FILE.part. Not collective; it uses
  /// no MPI. Throws std::runtime_error if the file cannot be written.
  void save();
  /// Returns the message of a step that a signal ended. It says how many samples FILE.part has. Meaningful on
  /// rank 0 only. Not collective.
  std::string interruption_text() const;
  /// Writes what is recorded so far to FILE.part and ignores a failure. Nothing can be recorded after this
  /// call. Not collective.
  void close_unfinished() { recorder_.reset(); }

 private:
  bool root() const { return context_.rank.runtime.root(); }
  void say(std::string const& progress) const;
  void initialise();
  void keep_tables(StepTables const& tables);
  model::StepCosts costs_of(model::RankGraphs const& step, std::vector<double> const& seconds,
                            model::Contention const& contention) const;
  VerbCosts collective_costs() const;
  std::vector<double> time_tasks();
  void record_verbs(std::vector<VerbTimes> const& verbs);
  void keep(int index, StepSample const& sample);
  void record_samples(std::vector<StepSample> const& samples);
  void record_timeline();
  void record_memory();
  void read_clocks();

  Options const& options_;
  StepContext context_;
  EarlierRounds earlier_;
  StepMeter meter_;
  std::unique_ptr<StateProbe> gpu_;  // reads the GPU's clocks; null on a host, for a replay, or without NVML
  ClocksOfRanks clocks_before_;
  std::optional<Recorder> recorder_;
  std::string report_, hypothetical_;
  std::optional<model::TableCost> table_;  // a(x), where x is bytes on the wire; on rank 0
  VerbTables verbs_;                       // times of the collectives of a sharded step; on rank 0
  model::Contention contention_;           // on rank 0
  StepSample first_;
  StepPredictions predictions_;
  StepFigures figures_;
  bool oversubscribed_ = false;  // a thread of some rank has no core of its own; known on rank 0
  bool spinning_ = false;        // ThreadReport::spinning, if kernels run on the threads; known on rank 0
};

/// Runs the command `step`. Collective. Throws and ends the process as execute() in session.hpp does.
void execute_step(Options const& options, Runtime const& runtime);

}  // namespace ddproxy
