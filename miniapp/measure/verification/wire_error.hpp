// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "miniapp/measure/pass/rank_context.hpp"

namespace ddproxy {

/// The errors of gradients that were averaged in the input's wire format, relative to the average of the same
/// gradients in fp32. The gradients come from a real backward pass. Each value is the maximum over the ranks.
struct WireErrors {
  std::vector<double> rms;  ///< [gradient] in ready order: |error| / |average|, with Euclidean norms
  std::vector<double>
      max;  ///< [gradient] maximum over its elements of |error| / (mean of |gradient| over the ranks)
  double total_rms = 0;  ///< rms of all gradients as one vector
  double bound = 0;      ///< limit of `max`: wire_error_bound() of the wire format, plus that of fp32
};

/// Runs one backward pass and reduces its gradients twice, piece by piece: in the input's wire format, as in
/// every step, and with MPI in fp32. Returns the errors, the same on all ranks. Collective.
WireErrors measure_wire_errors(RankContext& context);

/// Returns a message for the first gradient whose `max` exceeds the bound, or an empty text if there is none.
/// A NaN in the reduced gradient exceeds every bound.
std::string beyond_bound(WireErrors const& errors, Workload const& workload);

/// Returns the errors in one line of text for users.
std::string describe(WireErrors const& errors, Workload const& workload);

}  // namespace ddproxy
