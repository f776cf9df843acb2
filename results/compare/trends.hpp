// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/statistics/estimate.hpp"
#include "results/run/run_file.hpp"

namespace ddproxy::results {

/// Holds the runs of one offer, and its figure of merit. An offer is a machine that `compare --rank-machines`
/// ranks. Its runs have the same label, the same machine, and are all replays or all measured.
struct MachineMerit {
  std::string machine;  ///< Run::machine, preceded by "LABEL: " if there is a label
  bool replay = false;
  std::vector<Run const*> runs;
  /// Number of figures of merit. There is one for each run; if there is a single run, one for each sample.
  std::size_t values = 0;
  /// The median of the figures of merit with its 95 % interval. With fewer than six values the ends of the
  /// interval are infinite.
  model::Estimate tokens_per_s;

  bool has_interval() const;  ///< returns false if there are too few values
};

/// Returns true if both machines have a 95 % interval, and the intervals overlap. It is then not certain
/// which of them is faster.
bool overlap(MachineMerit const& a, MachineMerit const& b);

/// Returns tokens / T in tokens per second. T is the time of the best bucketed case, or of the whole step if
/// `ddproxy step` wrote the file. Returns NaN if the run measured neither, or if its file lacks the number of
/// tokens.
double figure_of_merit(Run const& run);

/// Returns the machines, the best one first. They point into `runs`, which must outlive the result.
std::vector<MachineMerit> rank_machines(std::span<const Run> runs);

}  // namespace ddproxy::results
