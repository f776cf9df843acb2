// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "miniapp/app/record/recorder.hpp"
#include "miniapp/app/record/resume.hpp"
#include "miniapp/app/run_ends.hpp"
#include "miniapp/input/options/options.hpp"
#include "miniapp/measure/calibration/collect_measurements.hpp"
#include "miniapp/measure/calibration/complete_tables.hpp"
#include "miniapp/measure/calibration/phases.hpp"
#include "miniapp/measure/pass/rank_context.hpp"
#include "miniapp/predict/analysis/stopping.hpp"

namespace ddproxy {

/// Carries out one command. All ranks measure; rank 0 records and prints.
///
/// Construct the session, call the methods of the command, and call finish() last. finish() prints the
/// tables. The commands need these methods:
///
///     layers       layers()
///     allreduce    allreduce(), or pieces() with --pieces
///     collectives  collectives(), collective_pieces() with --pieces, or both with --sizes and --pieces
///     run          open_calibration(), verify(), close_calibration(), sweep()
///     sweep        plan_from_input(), verify(), sweep()
///
/// The calibration has two parts, before and after verify(). Its samples are thus spread over the minutes
/// before the sweep, so that they contain the drift of the machine. If one of these methods throws, the
/// results so far can still be kept: call keep_open_calibration(), then save().
///
/// Every public method is collective unless its comment says otherwise. CollectiveError is declared in
/// miniapp/machine/runtime.hpp. The words case, round, state and verb are in docs/glossary.md.
class Session {
 public:
  /// Creates the results file on rank 0, and gathers the provenance. `options` must outlive the session.
  /// `earlier` are the rounds that this run continues; context.config has their number, too.
  /// Throws CollectiveError if the file cannot be created (exit code 2) or the disk is full (exit code 4).
  Session(Options const& options, RankContext context, std::vector<Case> cases, EarlierRounds earlier);
  ~Session();  ///< prints the tables so far if finish() has not printed them
  Session(Session const&) = delete;
  Session& operator=(Session const&) = delete;

  /// Measures and records the time of each operator, and makes the CSV files of layers and gradients.
  void layers();
  /// Measures and records a(x), and makes its CSV file. Throws CollectiveError (exit code 3) if an all-reduce
  /// gave a wrong sum.
  void allreduce();
  /// Measures and records the time to reduce a fixed number of bytes in pieces of different sizes. Throws
  /// what allreduce() throws.
  void pieces();
  /// Does what allreduce() does, for each verb that the options name.
  void collectives();
  /// Does what pieces() does, for each verb that the options name.
  void collective_pieces();
  /// Carries out the first third of the rounds of the calibration, rounded up
  /// (miniapp/measure/calibration/rounds.hpp), and then makes the plans of the strategy `optimal`. A round
  /// measures the operators, a(x), kappa, gamma and the handover. Throws CollectiveError if an all-reduce
  /// gave a wrong sum (exit code 3), the file cannot be written (exit code 4) or a signal arrived (exit code
  /// 75).
  void open_calibration();
  /// Carries out the other rounds, right before the sweep. Records all samples, and predicts every case from
  /// them. Replayed times are known and are not measured. Throws an error (exit code 4) if the file cannot be
  /// written. After a signal it takes no more rounds, but does not throw.
  void close_calibration();
  /// Records the tables of a calibration that an error or a signal ended. Does nothing in three cases: on
  /// ranks other than 0; after close_calibration(); or if the operators or a message size have no samples
  /// yet. Not collective.
  void keep_open_calibration();
  /// Makes the plans of the strategy `optimal` from the costs that the input states, without measurements.
  /// Throws CollectiveError (exit code 2) if such a plan is needed and the input states no costs.
  void plan_from_input();
  /// Verifies every case and records the plans. Throws CollectiveError (exit code 3) if a case fails its
  /// verification, or if the rounding error of the gradients exceeds its bound. bf16 on the wire rounds
  /// gradients, and so do matrix products in tf32 or bf16.
  void verify();
  /// Measures every case, and records the timeline of its last sample. Throws CollectiveError if
  /// --benchmark_filter leaves out every case (exit code 2) or a signal arrived (exit code 75).
  void sweep();
  /// Finishes the results file and the tables beside it. Then prints all tables and the figure of merit, and
  /// writes the files of --json and --trace if the options name them. Throws CollectiveError (exit code 1) if
  /// model_error or regret exceeds the limit that the options give.
  void finish();
  /// Writes the results so far to the unfinished file FILE.part. Not collective; it uses no MPI. Throws
  /// std::runtime_error if the file cannot be written.
  void save();
  /// Returns what save() has written or would write. Meaningful on rank 0 only. Not collective.
  Saved saved() const;
  /// Writes the results so far to FILE.part and ignores a failure. Nothing can be recorded after this call.
  /// Not collective.
  void close_unfinished() { recorder_.reset(); }

 private:
  bool root() const { return context_.runtime.root(); }
  bool has_samples_of_all_tables() const;
  void say(std::string const& progress) const;
  void keep_table(std::string const& ending, std::string text);
  void say_threads(ThreadReport const& report);
  std::string verify_case(CaseReport const& report);
  std::string verify_wire();
  void keep_seconds(double seconds);
  void record_step_memory();
  std::string judge_precision();
  /// Returns a(x), where x is bytes of gradients in memory. Returns an empty function if a(x) is not known
  /// yet.
  model::AllreduceCost cost() const {
    return cost_ ? of_gradients(*cost_, context_.workload.wire) : model::AllreduceCost();
  }
  void check_sums(std::vector<SizeTimes> const& times) const;
  std::int64_t total_to_move() const;
  std::int64_t element_of_each_rank() const;  // bytes on the wire of one element for each rank of a group
  std::vector<std::int64_t> divisible(std::vector<std::int64_t> sizes) const;
  void say_rounding(std::vector<std::int64_t> const& asked) const;
  void warn_of_substitutes() const;
  void keep_collectives(std::vector<SizeTimes> const& times, int nodes);
  std::vector<std::int64_t> sizes_to_measure();
  void keep_ready_times();
  void keep_allreduce();
  void keep_cost();
  void keep_speeds();

  // The first three methods are in session_calibration.cpp, and the others down to take_measurements() in
  // session_predict.cpp and session_sweep.cpp.
  void take_rounds(int first, int last);
  void keep_samples_of(std::function<void()> const& record);
  void keep_tables();
  void plan_optimal_cases();
  void predict();
  void prepare_sweep();
  void keep_sample(std::size_t item, int round, int position, Sample const& sample);
  void conclude_sweep();
  bool takes_another_round(int rounds, double seconds);
  void find_contradictions();
  void warn_of_noise() const;
  void compare_phases();
  void judge_sweep();
  void record_part(std::string const& part, double seconds);
  model::Measurements take_measurements();

  // A machine may change its state during a run (model/predict/machine_state.hpp). The methods from
  // find_states() to keep_states() choose the samples from which tables and figures are computed. They are in
  // session_states.cpp. The methods after them are in session_predict.cpp and session_finish.cpp. All methods
  // from here on run on rank 0 only, except measure_missing_tables() and share_plan(), which all ranks call.
  model::MachineStates find_states(std::vector<SizeTimes> const& sizes) const;
  OperationTimes operations_of_state() const;
  std::vector<SizeTimes> of_state(std::vector<SizeTimes> sizes) const;
  std::vector<SizeTimes> sizes_of_state() const { return of_state(recorder_->sizes()); }
  std::vector<ContentionSample> runs_of_state() const;
  double handover_of_state() const;
  std::vector<Sample> samples_of_state(std::vector<Sample> const& of_case) const;
  std::vector<std::vector<Sample>> samples_that_count_now(
      std::vector<std::vector<Sample>> const& taken) const;
  void settle_tables(std::vector<SizeTimes> const& sizes);
  void warn_of_mixed_states() const;
  void settle_sweep();
  void measure_missing_tables();
  void predict_again();
  void withdraw_prediction();
  Tables recorded_tables() const;
  SweepStates sweep_states() const;
  static bool has_tables(model::MachineStates const& states, std::size_t state, Tables const& tables);
  void keep_states();
  void keep_clocks(ClocksOfRanks const& after);
  void keep_memory(std::vector<double> const& peaks);
  void write_results();
  void share_plan(Case& item) const;
  void predict_case(std::size_t item, model::Measurements const& measurements);
  void predict_bands(model::Measurements const& measurements);
  void warn_of_table() const;

  Options const& options_;
  RankContext context_;
  EarlierRounds earlier_;
  std::optional<Recorder> recorder_;
  std::vector<results::TextFile> tables_;  // files beside the results file, written with it
  std::string report_;                     // text to print when the file is finished
  std::vector<CaseReport> reports_;
  std::optional<CollectiveRounds> table_rounds_;       // exists while a calibration goes on
  std::optional<ContentionRounds> contention_rounds_;  // exists while a calibration goes on
  // The samples to which the calibration adds. While table_rounds_ and contention_rounds_ exist, those two
  // hold the samples of a(x), kappa and gamma. Only the results file holds the samples of the handover. When
  // the calibration has ended, rank 0 drops the samples, and computes the tables from the results file. It
  // reads them back only if the tables of another state have to be measured after the sweep. The other ranks
  // keep theirs until then, because all ranks must decide alike what to measure.
  Tables calibration_;
  std::vector<Phase> phases_;
  model::Job job_;  // input of the prediction, made from the tables only; uses no sample of the sweep
  std::vector<Uncertainty> uncertainty_;
  model::Band best_cap_{not_available, not_available};  // 95 % interval of b*, bytes
  double floor_ = not_available;                        // lower bound on E, seconds
  double table_seconds_ = 0;                    // seconds spent on measuring tables; equal on all ranks
  std::optional<model::TableCost> known_cost_;  // a(x) of the input, if all-reduces are replayed
  std::optional<model::TableCost> cost_;        // a(x), where x is bytes on the wire
  std::vector<std::string> parts_;              // what a sweep measures in addition to its cases
  std::vector<std::size_t> part_values_;        // number of values of each part so far
  std::vector<Stop> stops_;                     // [case]
  FigureOfMerit figures_;
  model::MachineStates states_;       // the states of the machine, derived from all probes so far
  std::optional<std::size_t> state_;  // machine state of tables and figures; if empty, all samples count
  ClocksOfRanks clocks_before_;       // GPU clocks of all ranks at the start, if NVML gives them; on rank 0
  bool predicted_ = false, verified_ = false;
  std::string why_not_predicted_ = "nothing was predicted; use `run`, which predicts";
  bool oversubscribed_ = false;  // a thread of some rank has no core of its own; known on rank 0
  bool spinning_ = false;        // ThreadReport::spinning, if kernels run on the threads; known on rank 0
  std::optional<ThreadChoice>
      tightest_;  // the rank with the fewest cores for communication; see ThreadReport
};

/// Runs options.command. Collective. Throws CollectiveError if the error is known to all ranks; any other
/// exception is thrown only on the rank that has the error. If an MPI call does not return within the time
/// limit, or the device is lost, this function does not return: it ends the process (run_ends.hpp).
void execute(Options const& options, Runtime const& runtime);

}  // namespace ddproxy
