// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "model/statistics/estimate.hpp"
#include "model/statistics/quantile.hpp"

namespace ddproxy::model {

/// Returns samples.size() values, drawn from `samples` with replacement: one sample of a bootstrap (Efron,
/// Ann. Statist. 7(1), 1979). `engine` is a random engine of the standard library.
template <class Value, class Engine>
std::vector<Value> resampled(std::vector<Value> const& samples, Engine& engine) {
  std::vector<Value> drawn;
  for (std::size_t i = 0; i < samples.size(); ++i) drawn.push_back(samples[engine() % samples.size()]);
  return drawn;
}

/// The quantiles that bound the central 95 % of a distribution.
inline constexpr double low_share = 0.025, high_share = 0.975;

/// Returns the bounds of the central 95 % of the values; NaN for no values.
inline Band central(std::vector<double> const& values) {
  return {quantile(values, low_share), quantile(values, high_share)};
}

}  // namespace ddproxy::model
