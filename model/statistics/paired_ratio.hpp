// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "model/statistics/estimate.hpp"

namespace ddproxy::model {

/// Returns the median of numerators[i] / denominators[i] with the 95 % interval of median_estimate()
/// (median_interval.hpp). The two values of a pair were measured one shortly after the other. So a machine
/// that is slow for a while slows both, and their ratio hardly changes. Pairs whose ratio is NaN are left
/// out, and so are values without a partner. All members are NaN if no pair is left; the bounds are NaN if
/// one pair is left.
Estimate paired_ratio(std::vector<double> const& numerators, std::vector<double> const& denominators);

}  // namespace ddproxy::model
