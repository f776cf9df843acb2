// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace ddproxy::reference {

/// Returns |got - expected| / |expected| in the Euclidean norm or in the maximum norm, whichever is larger.
/// The first shows many small errors, the second a single large one. Returns infinity if a value is not
/// finite or if the sizes differ.
template <class Got>
double relative_error(std::vector<Got> const& got, std::vector<double> const& expected) {
  if (got.size() != expected.size()) return std::numeric_limits<double>::infinity();
  double error = 0, size = 0, largest_error = 0, largest = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double difference = static_cast<double>(got[i]) - expected[i];
    if (!std::isfinite(difference)) return std::numeric_limits<double>::infinity();
    error += difference * difference;
    size += expected[i] * expected[i];
    largest_error = std::max(largest_error, std::abs(difference));
    largest = std::max(largest, std::abs(expected[i]));
  }
  if (largest_error == 0) return 0;
  return std::max(std::sqrt(error / size), largest_error / largest);
}

}  // namespace ddproxy::reference
