// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "miniapp/input/options/turn_options.hpp"
#include "miniapp/measure/pass/rank_context.hpp"
#include "miniapp/measure/pass/step_traces.hpp"
#include "miniapp/measure/sweep/parts.hpp"
#include "miniapp/predict/analysis/analysis.hpp"

namespace ddproxy {

/// The sweep calls this function on rank 0 after each sample of a case. A case is a strategy with its plan,
/// and `item` is the index of the case. A round takes one sample of each case. `position` counts the samples
/// of all cases from 0, in the order in which they are taken.
using SampleSink = std::function<void(std::size_t item, int round, int position, Sample const& sample)>;

/// The sweep calls this function on rank 0 each time that a part has been measured. A part is a time that
/// `[gate]` of the input asks for in addition to the cases, for instance the time of one kind of operator
/// (parts.hpp). `seconds` is the maximum over the ranks.
using PartSink = std::function<void(std::string const& part, double seconds)>;

/// The sweep calls this function on rank 0 when `rounds` rounds have been taken. The function returns whether
/// to take another round.
using RoundQuestion = std::function<bool(int rounds)>;

/// The sweep calls this function on rank 0 before the first sample of each round. If the sweep takes turns
/// with another program, the call happens during a turn of the sweep.
using RoundStart = std::function<void()>;

/// The step of a case and the traces of its last sample.
struct CaseTimeline {
  model::StepGraph graph;
  /// On rank 0: one trace for each rank that carries out passes, or none if the case has no sample. On other
  /// ranks: empty.
  std::vector<model::StepTrace> ranks;
  /// The simulated trace of the same tasks, which holds for every rank. Empty if there is none.
  model::StepTrace predicted = {};
};

/// The functions that a sweep calls on rank 0.
struct SweepObserver {
  SampleSink sample;
  PartSink part;
  RoundQuestion another;
  RoundStart round;
};

/// Measures every case and every part that `[gate]` asks for. Returns the timeline of the last sample of each
/// case. Reads only CaseReport::item of each element of `cases`. Collective.
///
/// A round takes one sample of each case and each part of Parts (parts.hpp), in random order. turns.seed, if
/// given, is the seed of this order. The parts of OperatorTimes are measured whenever T_compute is measured.
/// The sweep takes rounds_to_take() rounds: `[sweep] samples`, or fewer with --resume. Then it takes further
/// rounds as long as observer.another() returns true. It takes no further rounds if it takes turns with
/// another program, or if Google Benchmark received arguments of its own. If turns.go names a pipe, each
/// sample waits for a turn (turns.hpp).
///
/// If several ranks reduce and the sweep takes no turns, it also runs the case's all-reduces without compute
/// after each sample of a case.
///
/// Google Benchmark runs on rank 0 only. The other ranks follow the commands of rank 0. So all ranks agree on
/// the order and the number of passes.
///
/// Throws CollectiveError (exit code 75) on all ranks if a signal interrupts the sweep. The observer has then
/// received all samples that were taken before.
std::vector<CaseTimeline> run_sweep(RankContext& context, std::vector<CaseReport> const& cases,
                                    TurnOptions const& turns, SweepObserver const& observer);

/// Returns the names of the parts that a sweep measures: OperatorTimes::names() if `[gate] operators` is on,
/// and then Parts::names().
std::vector<std::string> part_names(RankContext const& context);
/// Returns the largest number of values that a part can have after rounds_to_take() rounds over `cases`
/// cases. Operators are timed in the passes without communication that give T_compute. So they have a value
/// for each case and round, or one for each round if T_compute is measured once in a round for all cases.
std::size_t part_samples(RankContext const& context, std::size_t cases);

}  // namespace ddproxy
