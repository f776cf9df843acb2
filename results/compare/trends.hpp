// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/statistics/estimate.hpp"
#include "results/run/run_file.hpp"

namespace ddproxy::results {

/// The runs of one offer, which have the same label, machine and kind.
struct MachineMerit {
  std::string machine;  ///< Run::machine, preceded by "LABEL: " if there is a label
  bool replay = false;
  std::vector<Run const*> runs;
  std::size_t values = 0;  ///< number of figures of merit: one per run, or one per sample of a single run
  /// The median of the figures of merit with its 95 % interval, which needs six values. Infinite bounds: too
  /// few values.
  model::Estimate tokens_per_s;

  bool has_interval() const;  ///< returns false if there are too few values
};

/// Returns true if both machines have a 95 % interval and the intervals overlap. It is then not certain which
/// machine is faster.
bool overlap(MachineMerit const& a, MachineMerit const& b);

/// Returns tokens / T of the best bucketed case, in tokens per second. Returns NaN if the run measured no
/// bucketed case, or if its file lacks the number of tokens.
double figure_of_merit(Run const& run);

/// Returns the machines, best first. They point into `runs`, which must outlive the result.
std::vector<MachineMerit> rank_machines(std::span<const Run> runs);

}  // namespace ddproxy::results
