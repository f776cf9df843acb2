// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/history/nightly_test.hpp"

#include <algorithm>
#include <cmath>

#include "model/statistics/quantile.hpp"
#include "results/history/night_noise.hpp"

namespace ddproxy::results {
namespace {

// Number of newest nights that are left out of the noise, because they may turn out to be slow.
constexpr std::size_t unsettled = 5;

}  // namespace

void NightlyTest::add(std::span<const NightValue> values) {
  const NoiseShape shape{tail(), correlation(), deviation()};
  for (std::size_t s = 0; s < values.size(); ++s)
    if (!std::isnan(values[s].value)) trackers_[s].add(values[s], of_series(shape, s));
}

// Sets the deviation to 0 for the last series, because the median deviation of the cases does not apply to
// their mean.
NoiseShape NightlyTest::of_series(NoiseShape shape, std::size_t series) const {
  if (series + 1 == trackers_.size()) shape.deviation = 0.0;
  return shape;
}

double NightlyTest::deviation() const {
  std::vector<double> all;
  for (std::size_t s = 0; s + 1 < trackers_.size(); ++s)
    if (const Noise noise = trackers_[s].levels().noise(unsettled); noise.degrees > 0)
      all.push_back(noise.deviation);
  return all.empty() ? 0.0 : model::median(all);
}

double NightlyTest::tail() const {
  std::vector<double> all;
  for (auto const& tracker : trackers_) {
    const double deviation = tracker.levels().noise(unsettled).robust_deviation;
    if (!(deviation > 0.0)) continue;
    for (double residual : tracker.levels().residuals(unsettled, false)) all.push_back(residual / deviation);
  }
  return tail_factor(all);
}

// Returns the mean correlation over the series; a negative mean is replaced by 0.
double NightlyTest::correlation() const {
  double sum = 0.0;
  std::size_t known = 0;
  for (auto const& tracker : trackers_) {
    const double r = successive_correlation(tracker.levels().residuals(unsettled, true));
    if (std::isnan(r)) continue;
    sum += r;
    ++known;
  }
  return known == 0 ? usual_correlation : std::max(0.0, sum / static_cast<double>(known));
}

}  // namespace ddproxy::results
