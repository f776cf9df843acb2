// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "miniapp/pipeline.hpp"
#include "miniapp/rank_trace.hpp"
#include "miniapp/workbench.hpp"
#include "planner/analysis.hpp"

namespace ddproxy {

/// Called on rank 0 after each sample, with its position among all samples.
using SampleSink = std::function<void(std::size_t item, int round, int position, Sample const& sample)>;

/// Google Benchmark's own arguments, as given after `--`. Throws std::invalid_argument for one that it does
/// not know.
void initialize_benchmark(std::vector<std::string> const& arguments);

/// Throws std::invalid_argument where they leave out every case of every round.
void require_some(std::vector<std::string> const& cases, int rounds);

/// Measures every case `samples` times, in rounds, the cases of a round in random order. Google Benchmark
/// runs on rank 0 and drives it; the other ranks follow its commands, so that they cannot disagree on the
/// order or the number of passes. Collective. Returns the timeline of each case's last sample: on rank 0 a
/// trace of each rank, none elsewhere and for a case without samples. Throws Agreed (exit 75) on all ranks
/// where a signal came; the samples until then went to the sink.
std::vector<std::vector<RankTrace>> run_sweep(Workbench& bench, std::vector<Case> const& cases,
                                              SampleSink const& sink);

}  // namespace ddproxy
