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

Phase phase_behind(Taken const& before, std::string name, OperationTimes const& layers,
                   std::vector<SizeTimes> const& sizes) {
  Phase phase{std::move(name), pass_seconds(layers), {}};
  phase.compute.erase(phase.compute.begin(),
                      phase.compute.begin() + static_cast<std::ptrdiff_t>(before.passes));
  if (sizes.empty()) return phase;
  const std::size_t row = row_of_phases(sizes);
  auto const& seconds = sizes[row].seconds;
  const std::size_t first = before.calls.empty() ? 0 : before.calls[row];
  phase.allreduce.assign(seconds.begin() + static_cast<std::ptrdiff_t>(first), seconds.end());
  return phase;
}

model::Drift drift_of(std::vector<Phase> const& phases) {
  model::Drift drift;
  for (auto const& phase : phases) {
    if (!phase.compute.empty()) drift.compute.push_back(model::median(phase.compute));
    if (!phase.allreduce.empty()) drift.allreduce.push_back(model::median(phase.allreduce));
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
  const auto before = model::median_estimate(measured.compute), now = model::median_estimate(sweep.compute);
  const double change = now.value / before.value - 1;
  const bool apart = now.low > before.high || now.high < before.low;
  if (!apart || std::abs(change) < least_told) return "";
  return fmt::format(
      "T_compute changed by {:+.1f} %: {:.4g} ms in the {}, {:.4g} ms in the sweep. The prediction uses the "
      "first value, so the predicted T is wrong by about as much, even if the model is right; repeat the run "
      "on a quieter machine",
      100 * change, before.value * 1e3, measured.name, now.value * 1e3);
}

}  // namespace ddproxy
