// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "miniapp/analysis/analysis.hpp"
#include "miniapp/measure/pass/rank_context.hpp"
#include "miniapp/measure/pass/step_traces.hpp"
#include "miniapp/measure/sweep/parts.hpp"
#include "miniapp/options/turn_options.hpp"

namespace ddproxy {

/// Called on rank 0 after each sample of a case. `item` is the index of the case. `position` counts the
/// samples of all cases from 0, in the order in which they were taken.
using SampleSink = std::function<void(std::size_t item, int round, int position, Sample const& sample)>;

/// Called on rank 0 each time that a part of the step has been measured. The parts are those that `[gate]` of
/// the input asks for (parts.hpp). `seconds` is the maximum over the ranks.
using PartSink = std::function<void(std::string const& part, double seconds)>;

/// Called on rank 0 when `rounds` rounds have been taken. Returns whether to take another one.
using RoundQuestion = std::function<bool(int rounds)>;

/// Called on rank 0 before the first sample of each round. If the sweep takes turns with another program, it
/// is called during a turn of this one.
using RoundStart = std::function<void()>;

/// The step of a case and the traces of its last sample.
struct CaseTimeline {
  model::StepGraph graph;
  /// On rank 0: one trace for each rank, or none if the case has no sample. On other ranks: empty.
  std::vector<model::StepTrace> ranks;
};

/// What rank 0 calls during a sweep.
struct SweepObserver {
  SampleSink sample;
  PartSink part;
  RoundQuestion another;
  RoundStart round;
};

/// Measures every case, and every part that `[gate]` asks for, and returns the timeline of each case's last
/// sample. Of each CaseReport in `cases` it reads only CaseReport::item. Collective.
///
/// A round takes one sample of each case and each part, in random order; turns.seed, if given, is the seed of
/// that order. The sweep takes `[sweep] samples` rounds, and then further ones as long as observer.another()
/// asks for one. It takes no further rounds if it takes turns with another program, or if Google Benchmark
/// has arguments of its own. If turns.go names a pipe, each sample waits for its turn.
///
/// If several ranks reduce and the sweep takes no turns, each sample of a case is followed by the case's
/// all-reduces without compute.
///
/// Google Benchmark runs on rank 0 only. The other ranks follow the commands of rank 0, so that all agree on
/// the order and the number of passes.
///
/// Throws CollectiveError (exit code 75) on all ranks if a signal interrupts the sweep. The observer has then
/// received all samples taken before.
std::vector<CaseTimeline> run_sweep(RankContext& context, std::vector<CaseReport> const& cases,
                                    TurnOptions const& turns, SweepObserver const& observer);

/// Returns the names of the parts that a sweep measures: the names of OperatorTimes, then the names of Parts.
std::vector<std::string> part_names(RankContext const& context);
/// Returns the largest number of values that a part can have after `[sweep] samples` rounds over `cases`
/// cases.
std::size_t part_samples(RankContext const& context, std::size_t cases);

}  // namespace ddproxy
