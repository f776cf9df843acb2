// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/measure/calibration/phases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/statistics/median_interval.hpp"
#include "model/statistics/quantile.hpp"

namespace ddproxy {
namespace {

constexpr std::int64_t most_bytes = std::int64_t{4} << 20;
constexpr double least_told = 0.005;  // share of T_compute; the score does not resolve a smaller change

std::size_t row_of_phases(std::vector<SizeTimes> const& sizes) {
  std::size_t row = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i].bytes <= most_bytes) row = i;
  return row;
}

std::vector<double> without_first(std::vector<double> values, std::size_t count) {
  values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count));
  return values;
}

}  // namespace

std::vector<double> pass_seconds(OperationTimes const& times) {
  std::vector<double> slowest(times.samples, 0.0);
  for (std::size_t rank = 0; rank < times.ranks; ++rank) {
    std::vector<double> sums(times.samples, 0.0);
    for (std::size_t i = 0; i < times.operations * times.samples; ++i)
      sums[i % times.samples] += times.seconds[rank * times.operations * times.samples + i];
    for (std::size_t s = 0; s < times.samples; ++s) slowest[s] = std::max(slowest[s], sums[s]);
  }
  return slowest;
}

Taken taken(OperationTimes const& operations, std::vector<SizeTimes> const& sizes) {
  Taken taken{operations.samples, {}};
  for (auto const& size : sizes) taken.calls.push_back(size.seconds.size());
  return taken;
}

Phase phase_behind(Taken const& before, std::string name, OperationTimes const& operations,
                   std::vector<SizeTimes> const& sizes) {
  const auto passes = without_first(pass_seconds(operations), before.passes);
  Phase phase{std::move(name), model::median_estimate(passes)};
  if (sizes.empty()) return phase;
  const std::size_t row = row_of_phases(sizes);
  phase.allreduce = model::median(without_first(sizes[row].seconds, before.calls[row]));
  return phase;
}

model::Drift drift_of(std::vector<Phase> const& phases) {
  model::Drift drift;
  for (auto const& phase : phases) {
    if (std::isfinite(phase.compute.value)) drift.compute.push_back(phase.compute.value);
    if (std::isfinite(phase.allreduce)) drift.allreduce.push_back(phase.allreduce);
  }
  return drift;
}

std::vector<double> sweep_compute(Config const& config, std::vector<std::vector<Sample>> const& samples) {
  std::vector<double> seconds;
  for (auto const& of_case : samples) {
    for (auto const& sample : of_case) seconds.push_back(std::ranges::max(sample.compute));
    if (config.shared_compute && !seconds.empty()) break;
  }
  return seconds;
}

std::string phase_doubt(Phase const& measured, Phase const& sweep) {
  auto const &before = measured.compute, &now = sweep.compute;
  const double change = now.value / before.value - 1;
  const bool apart = now.low > before.high || now.high < before.low;
  if (!apart || std::abs(change) < least_told) return "";
  return fmt::format(
      "T_compute changed by {:+.1f} %: {:.4g} ms in the {}, {:.4g} ms in the sweep. The prediction uses the "
      "first value, so the predicted T has a similar error, even if the model is right; repeat the run "
      "on a quieter machine",
      100 * change, before.value * 1e3, measured.name, now.value * 1e3);
}

}  // namespace ddproxy
