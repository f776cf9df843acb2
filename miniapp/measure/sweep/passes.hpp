// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "miniapp/analysis/analysis.hpp"
#include "miniapp/input/cases.hpp"
#include "miniapp/measure/pass/rank_context.hpp"
#include "miniapp/measure/pass/step_traces.hpp"
#include "miniapp/measure/sweep/parts.hpp"

namespace ddproxy {

/// The passes of a sweep. Rank 0 asks for them one at a time, with compute(), part(), warm_up() and
/// measure(); the other ranks follow() its commands until end(), so that they cannot disagree on the order.
/// Every method but the accessors is collective in that sense.
class Passes {
 public:
  /// `context` outlives the passes. With `in_turns` the ranks sleep between commands (see Turns).
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

  void compute();  ///< the backward pass alone, as a warm-up
  /// T_compute of each computing rank, and its probes; the rest is empty.
  Sample measure_compute();
  /// Seconds of a part, maximum over ranks.
  double part(std::size_t part);
  std::vector<std::string> const& part_names() const { return parts_.names(); }
  OperatorTimes const& operators() const { return operators_; }
  /// Of the last measure_compute(), by operators().names(), maximum over ranks; on rank 0, where [gate] asks
  /// for it.
  std::vector<double> const& operator_seconds() const { return operator_seconds_; }
  void warm_up(std::size_t item);
  /// Adds a pass of the case to `sample`, which measure_compute() returned.
  Sample measure(std::size_t item, Sample sample);
  /// Whether several ranks reduce in this run, with no other program in between.
  bool can_reduce_alone() const { return context_.computing_ranks() > 1 && !in_turns_; }
  /// The all-reduces of a case one after another, with nothing beside them, over the arena as its buckets lie
  /// in it. Seconds of each bucket: together the maximum over ranks, in the proportions of rank 0.
  std::vector<double> reduce_alone(std::size_t item);
  void end(bool interrupted);
  bool follow();  ///< on all ranks but 0; false: interrupted
  /// Of this rank's last pass of each case; empty for a case that was not measured.
  std::vector<model::StepTrace> const& traces() const { return traces_; }
  /// The graphs of the cases, in the order of traces().
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
  CompiledStep alone_;                    // the backward pass, nothing beside it
  std::vector<CompiledStep> steps_;       // [case]
  std::vector<std::string> names_;        // [case]
  int passes_ = 0;                        // so far
  std::vector<model::StepTrace> traces_;  // [case]
};

}  // namespace ddproxy
