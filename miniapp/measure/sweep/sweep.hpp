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

/// Called on rank 0 after each sample, with its position among all samples.
using SampleSink = std::function<void(std::size_t item, int round, int position, Sample const& sample)>;

/// Called on rank 0 after each value of a part of the step: seconds, maximum over ranks.
using PartSink = std::function<void(std::string const& part, double seconds)>;

/// Called on rank 0 after so many rounds: whether another one is to be taken.
using RoundQuestion = std::function<bool(int rounds)>;

/// Called on rank 0 before the first sample of each round, in its turn where it takes turns.
using RoundStart = std::function<void()>;

/// The last sample of one case: its step, and what each rank did; no trace elsewhere than on rank 0, and for
/// a case without samples.
struct CaseTimeline {
  model::StepGraph graph;
  std::vector<model::StepTrace> ranks;
};

/// What rank 0 does while a sweep goes on.
struct SweepObserver {
  SampleSink sample;
  PartSink part;
  RoundQuestion another;
  RoundStart round;
};

/// Measures every case, and every part that [gate] asks for, in rounds, those of a round in random order (of
/// turns.seed where that is given): `samples` rounds, and then as long as the observer asks for another one.
/// In turns with another program, and where Google Benchmark has arguments of its own, `samples` rounds are
/// all. Where several ranks reduce, a sample is followed by the case's all-reduces alone. Google Benchmark
/// runs on rank 0 and drives it; the other ranks follow its commands, so that they cannot disagree on the
/// order or the number of passes. Each sample waits for its turn where turns.go names a pipe. Collective.
/// Returns the timeline of each case's last sample. Nothing of `cases` but their items is read. Throws
/// CollectiveError (exit 75) on all ranks where a signal came; the samples until then went to the sink.
std::vector<CaseTimeline> run_sweep(RankContext& context, std::vector<CaseReport> const& cases,
                                    TurnOptions const& turns, SweepObserver const& observer);

/// The parts of the step that a sweep times: those of compute, then those of Parts.
std::vector<std::string> part_names(RankContext const& context);
/// The most values that a part has after a sweep over so many cases.
std::size_t part_samples(RankContext const& context, std::size_t cases);

}  // namespace ddproxy
