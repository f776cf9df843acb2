// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "miniapp/input/cases.hpp"
#include "miniapp/measure/pass/rank_context.hpp"
#include "miniapp/measure/pass/step_traces.hpp"
#include "miniapp/measure/sweep/parts.hpp"
#include "miniapp/predict/analysis/analysis.hpp"

namespace ddproxy {

/// Carries out the passes of a sweep on all ranks.
///
/// Problem: the ranks must agree on the order and the number of passes, but only rank 0 knows them.
///
/// Order of calls: rank 0 calls compute(), measure_compute(), part(), warm_up(), measure() and reduce_alone()
/// in any order, and then end(). Every other rank makes one call of follow() instead. follow() carries out
/// the same passes and returns after end(). All these methods communicate; the other methods do not.
///
/// Every method that communicates throws std::runtime_error if MPI reports an error. An exception is thrown
/// only on the rank that has the error. The ranks then no longer agree on the next pass, so the run must end.
class Passes {
 public:
  /// Compiles the steps of the cases; a case is a strategy with its plan. `context` must outlive this object.
  /// `in_turns` tells whether another program takes turns with this one on the same cores (turns.hpp). If so,
  /// the ranks sleep while they wait for rank 0. Collective.
  Passes(RankContext& context, std::vector<CaseReport> const& cases, bool in_turns)
      : context_(context),
        in_turns_(in_turns),
        operators_(context.workload.pass),
        parts_(context),
        alone_(context.compile_backward()) {
    if (context.config.gate.operators) operator_seconds_.resize(operators_.names().size());
    steps_.reserve(cases.size());
    for (auto const& report : cases) {
      steps_.push_back(context.compile(report.item));
      names_.push_back(report.item.name());
    }
    traces_.resize(cases.size());
  }

  /// Runs the backward pass without communication, as a warm-up. Throws what run_step() (run_step.hpp)
  /// throws.
  void compute();
  /// Runs the backward pass without communication. Returns a sample that has only T_compute of each computing
  /// rank, and the two probes before and after that pass. Throws what run_step() throws.
  Sample measure_compute();
  /// Measures a part (parts.hpp). `part` is an index into part_names(). Returns the seconds of the part, the
  /// maximum over the ranks. Throws what CommunicationLane::wait_all() throws.
  double part(std::size_t part);
  std::vector<std::string> const& part_names() const { return parts_.names(); }
  OperatorTimes const& operators() const { return operators_; }
  /// Returns the seconds that belong to operators().names() in the last measure_compute(), the maximum over
  /// the ranks. Empty if `[gate] operators` is off.
  std::vector<double> const& operator_seconds() const { return operator_seconds_; }
  /// Runs a pass of the case and keeps no times. Throws what run_step() throws.
  void warm_up(std::size_t item);
  /// Runs a pass of the case. `sample` is the result of measure_compute(). Returns `sample` with the times
  /// and the probes of this pass added. Throws what run_step() throws, for instance std::runtime_error if a
  /// collective exceeds its time limit.
  Sample measure(std::size_t item, Sample sample);
  /// Returns whether reduce_alone() may be called: several ranks reduce, and no other program takes turns
  /// with this one.
  bool can_reduce_alone() const { return context_.computing_ranks() > 1 && !in_turns_; }
  /// Runs the all-reduces of a case one after another without compute, on the same elements of the arena as
  /// in a pass. Returns the seconds of each bucket. The time of all of them together (the maximum over the
  /// ranks) is divided among the buckets in the proportions that rank 0 measured. Throws what
  /// CommunicationLane::wait_all() throws.
  std::vector<double> reduce_alone(std::size_t item);
  void end(bool interrupted);  ///< makes follow() return on the other ranks
  /// Carries out the passes that rank 0 commands, until end(). Call it on all ranks except rank 0. Returns
  /// false if the sweep was interrupted. Throws what the commanded method throws.
  bool follow();
  /// Returns the trace of this rank's last measured pass of each case; empty if a case was not measured.
  std::vector<model::StepTrace> const& traces() const { return traces_; }
  /// Returns the graphs of the cases, in the order of traces().
  std::vector<model::StepGraph> graphs() const;

 private:
  void send(std::int64_t action, std::size_t item);
  std::vector<double> command(std::int64_t action, std::size_t item);
  void exchange(std::vector<std::int64_t>& message);
  std::vector<double> carry_out(std::int64_t action, std::size_t item);
  std::vector<double> run(std::int64_t action, std::size_t item);
  std::vector<double> run_buckets(std::size_t item);
  std::vector<double> split(std::vector<double> const& all, std::size_t column) const;

  RankContext& context_;
  bool in_turns_;
  OperatorTimes operators_;
  Parts parts_;
  std::vector<double> operator_seconds_;
  CompiledStep alone_;                    // the backward pass without communication
  std::vector<CompiledStep> steps_;       // [case]
  std::vector<std::string> names_;        // [case]
  int passes_ = 0;                        // number of passes so far
  std::vector<model::StepTrace> traces_;  // [case]
};

}  // namespace ddproxy
