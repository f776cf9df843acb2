// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "miniapp/measure/pass/rank_context.hpp"

namespace ddproxy {

/// How far gradients that were reduced over the input's wire are from their average in fp32, the same
/// gradients of a real pass. Of each gradient, in ready order, maximum over the ranks.
struct WireErrors {
  std::vector<double> rms;  ///< |error| / |average|, Euclidean norms
  std::vector<double>
      max;               ///< largest error of an element, as a share of the mean of its |gradient| over ranks
  double total_rms = 0;  ///< rms of all gradients together
  double bound = 0;      ///< of max: wire_error_bound() of the wire, and of the fp32 sum beside it
};

/// Runs one pass and reduces its gradients twice, piece by piece: as the pipeline does, and by MPI in fp32.
/// Collective; the same on all ranks.
WireErrors measure_wire_errors(RankContext& context);

/// What is wrong: a gradient beyond the bound, or NaN; empty where nothing is.
std::string beyond_bound(WireErrors const& errors, Workload const& workload);

/// One line for people.
std::string describe(WireErrors const& errors, Workload const& workload);

}  // namespace ddproxy
