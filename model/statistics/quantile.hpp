// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>
#include <vector>

namespace ddproxy::model {

/// The value below which the share q (0 to 1) of the values lies, linearly interpolated; NaN of none.
double quantile(std::vector<double> values, double q);
inline double median(std::vector<double> values) {
  return quantile(std::move(values), 0.5);
}

}  // namespace ddproxy::model
