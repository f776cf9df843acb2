// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/statistics/estimate.hpp"
#include "results/run/run_file.hpp"

namespace ddproxy::results {

/// The runs of one offer: of one label, machine and kind.
struct MachineMerit {
  std::string machine;  ///< Run::machine, after "LABEL: " where there is a label
  bool replay = false;
  std::vector<Run const*> runs;
  std::size_t values = 0;        ///< figures of merit, of its runs or of its one run's samples
  model::Estimate tokens_per_s;  ///< median of its runs' figures of merit, 95 % interval; of the one run's
                                 ///< samples where it has one

  bool has_interval() const;  ///< false where there are too few values
};

/// True where both have a 95 % interval, and these overlap: the order of the two is then open.
bool overlap(MachineMerit const& a, MachineMerit const& b);

/// tokens / T of the best bucketed case, tokens per second; NaN where the run measured none or does not say
/// its tokens.
double figure_of_merit(Run const& run);

/// The machines, best first. They point to `runs`.
std::vector<MachineMerit> rank_machines(std::span<const Run> runs);

}  // namespace ddproxy::results
