// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "results/rank_statistics.hpp"
#include "results/run_file.hpp"

namespace ddproxy::results {

/// The runs of one machine (Run::machine).
struct MachineMerit {
  std::string machine;
  std::size_t runs = 0;
  std::size_t values = 0;  ///< figures of merit, of its runs or of its one run's samples
  Estimate tokens_per_s;   ///< median of its runs' figures of merit, 95 % interval; of the one run's samples
                           ///< where it has one
};

/// tokens / T of the best bucketed case, tokens per second; NaN where the run measured none or does not say
/// its tokens.
double figure_of_merit(Run const& run);

/// The machines, best first.
std::vector<MachineMerit> rank_machines(std::span<const Run> runs);

}  // namespace ddproxy::results
