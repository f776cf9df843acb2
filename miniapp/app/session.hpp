// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>

#include "miniapp/analysis/stopping.hpp"
#include "miniapp/app/recorder.hpp"
#include "miniapp/measure/calibration/collect_measurements.hpp"
#include "miniapp/measure/calibration/phases.hpp"
#include "miniapp/measure/calibration/state_tables.hpp"
#include "miniapp/measure/pass/rank_context.hpp"
#include "miniapp/options/options.hpp"

namespace ddproxy {

/// One command at work: measures on all ranks, records and prints on rank 0. Every method is collective.
class Session {
 public:
  /// Throws CollectiveError (exit 2) where the results file cannot be created.
  Session(Options const& options, RankContext context, std::vector<Case> cases);
  ~Session();  ///< prints what finish() did not come to print
  Session(Session const&) = delete;
  Session& operator=(Session const&) = delete;

  void layers();             ///< measures, records and prints the operations; writes the CSV files
  void allreduce();          ///< the same for a(x); throws CollectiveError (exit 3) where a sum is wrong
  void pieces();             ///< a fixed total in pieces
  void collectives();        ///< the same as allreduce() for each verb that the options name
  void collective_pieces();  ///< a fixed total in pieces, for each of these verbs
  /// Measures the operations, a(x), kappa and gamma in the first third of the rounds of a calibration, and
  /// plans `optimal`. Throws as allreduce() does.
  void open_calibration();
  /// Measures the other rounds, directly before the sweep; records all samples, and predicts
  /// every case from them. A replay's tables are known.
  void close_calibration();
  /// Records the tables of a calibration that an error or a signal ended.
  void keep_open_calibration();
  /// Plans of `optimal` without measurements, from the costs that the input states; throws CollectiveError
  /// (exit 2) where it does not.
  void plan_from_input();
  void verify();  ///< every case; throws CollectiveError (exit 3) where one is wrong
  void sweep();   ///< measures every case, and keeps the timeline of each one's last sample
  /// Finishes the file and its tables, then prints all tables and the figure of merit; throws CollectiveError
  /// (exit 1) where the score is beyond its limits.
  void finish();
  /// Writes what was measured so far to FILE.part, without MPI. Not collective. Throws std::runtime_error
  /// where the disk does not take it.
  void save();
  /// The same without a word where that fails; nothing more can be recorded.
  void close_unfinished() { recorder_.reset(); }

 private:
  bool root() const { return context_.runtime.root(); }
  void say(std::string const& progress) const;
  void keep_table(std::string const& ending, std::string text);
  void say_threads(ThreadReport const& report);
  std::string verify_case(CaseReport const& report);
  std::string verify_wire();
  void record_step_memory();
  std::string judge_precision();
  /// a(x) by bytes of gradients, once it is known.
  model::AllreduceCost cost() const {
    return cost_ ? of_gradients(*cost_, context_.workload.wire) : model::AllreduceCost();
  }
  void check_sums() const;
  std::int64_t total_to_move() const;
  std::int64_t element_of_each_rank() const;  // bytes on the wire
  std::vector<std::int64_t> divisible(std::vector<std::int64_t> sizes) const;
  void say_rounding(std::vector<std::int64_t> const& asked) const;
  void warn_of_substitutes() const;
  void keep_collectives();
  std::vector<std::int64_t> sizes_to_measure();
  void keep_layers();
  void keep_ready_times();
  void keep_allreduce();
  void keep_cost();
  void keep_speeds();

  // session_calibration.cpp: the rounds of a calibration.
  void take_rounds(int first, int last);
  void keep_tables();
  void plan_optimal_cases();
  void predict();
  Tables tables() { return {layer_times_, allreduce_times_, contention_samples_}; }
  void conclude_sweep();
  bool takes_another_round(int rounds, double seconds);
  void find_contradictions();
  void compare_phases();
  void judge_sweep();
  void record_part(std::string const& part, double seconds);
  model::Job take_measurements();
  void predict_cases(model::Job const& job);

  // session_states.cpp: which samples count on a machine with several states; on rank 0.
  model::MachineStates find_states() const;
  OperationTimes layers_of_state() const;
  std::vector<SizeTimes> sizes_of_state() const;
  std::vector<ContentionSample> runs_of_state() const;
  std::vector<Sample> samples_of_state(std::size_t item) const;
  void settle_tables();
  void warn_of_mixed_states() const;
  std::vector<double> gather_clocks() const;
  void settle_sweep();
  void measure_missing_tables();  // on all ranks
  void predict_again();
  void withdraw_prediction();
  SweepStates sweep_states() const;
  bool has_tables(model::MachineStates const& states, std::size_t state) const;
  void keep_states();
  void share_plan(Case& item) const;
  void predict_case(std::size_t item, model::Job const& job);
  void predict_bands();
  void warn_of_table() const;

  Options const& options_;
  RankContext context_;
  std::optional<Recorder> recorder_;
  std::vector<results::TextFile> tables_;  // beside the results file, written with it
  std::string report_;                     // to print when the file is finished
  std::vector<CaseReport> reports_;
  std::optional<CollectiveRounds> table_rounds_;  // while a calibration goes on
  std::optional<ContentionRounds> contention_rounds_;
  OperationTimes layer_times_;
  std::vector<Phase> phases_;
  model::Measurements measurements_;
  model::Job job_;  ///< the prediction from before the sweep
  std::vector<ContentionSample> contention_samples_;
  std::vector<Uncertainty> uncertainty_;
  model::Band best_cap_{not_available, not_available};  // bytes
  double floor_ = not_available;                        // of E, seconds
  std::vector<SizeTimes> allreduce_times_;              // of `collectives`: of all its verbs
  double table_seconds_ = 0;  // that measuring a(x), kappa and gamma took; the same on all ranks
  std::optional<model::TableCost> known_cost_;  // of an input whose all-reduces are replayed
  std::optional<model::TableCost> cost_;        // by bytes on the wire
  std::vector<std::vector<Sample>> samples_;
  std::vector<std::vector<std::int64_t>> order_;
  std::vector<std::string> parts_;        // what a sweep times besides its cases
  std::vector<std::size_t> part_values_;  // of each part so far
  std::vector<Stop> stops_;               // of each case
  FigureOfMerit figures_;
  model::MachineStates states_;        // told from all probes so far
  std::optional<std::size_t> state_;   // of tables and figures; nothing: all samples count
  std::vector<double> clocks_before_;  // of the ranks' GPUs, where NVML tells them; on rank 0
  bool predicted_ = false, verified_ = false;
  bool oversubscribed_ = false;  // some thread of some rank has no core; known on rank 0
};

/// Runs options.command.
void execute(Options const& options, Runtime const& runtime);

}  // namespace ddproxy
