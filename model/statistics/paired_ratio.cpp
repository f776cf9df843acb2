// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/statistics/paired_ratio.hpp"

#include <algorithm>
#include <cmath>

#include "model/statistics/median_interval.hpp"

namespace ddproxy::model {

Estimate paired_ratio(std::vector<double> const& numerators, std::vector<double> const& denominators) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(numerators.size(), denominators.size()); ++i)
    if (const double ratio = numerators[i] / denominators[i]; !std::isnan(ratio)) ratios.push_back(ratio);
  if (ratios.empty()) return {NAN, NAN, NAN};
  return median_estimate(std::move(ratios));
}

}  // namespace ddproxy::model
