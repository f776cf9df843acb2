// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/measure/calibration/contention_sample.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace ddproxy {
namespace {

constexpr double slowest_told = 1e-3;  // lower speeds are not distinguished from 0

double within(double speed) {
  return std::clamp(speed, slowest_told, 1.0);
}

std::string cure_of_standstill(std::optional<ThreadChoice> const& rank) {
  if (!rank || rank->threads < rank->own)
    return "Communication shares no core with compute, so something else probably used the machine. Repeat "
           "the run on a quieter machine";
  if (rank->own <= 1)
    return "A rank has one core only, so communication cannot have a core of its own. Give each rank two "
           "cores or more, for instance by starting fewer ranks on a node";
  return fmt::format(
      "A rank has {} cores and computes with {} threads, so communication has no core of its own. Set "
      "[machine] threads = {}",
      rank->own, rank->threads, rank->own - 1);
}

}  // namespace

model::Speeds speeds_of(double compute_alone, double collective_alone, double compute_beside,
                        double collective_beside) {
  const double together = std::min(compute_beside, collective_beside);
  const double compute_rest = compute_beside - together, collective_rest = collective_beside - together;
  return {within((compute_alone - compute_rest) / together),
          within((collective_alone - collective_rest) / together)};
}

model::SpeedSamples samples_of(ContentionSample const& run) {
  model::SpeedSamples speeds{run.bytes, {}};
  const double known = static_cast<double>(run.calls) * run.call_seconds;
  for (std::size_t i = 0; i < run.compute_alone.size(); ++i)
    speeds.samples.push_back(speeds_of(run.compute_alone[i], known > 0 ? known : run.collective_alone[i],
                                       run.compute_beside[i], run.collective_beside[i]));
  return speeds;
}

model::Speeds speeds_of(ContentionSample const& run) {
  return model::median_speeds(samples_of(run).samples);
}

std::string standstill(std::vector<ContentionSample> const& runs, MpiCallChoice const& choice,
                       WireFormat wire, std::optional<ThreadChoice> const& tightest) {
  std::vector<std::string> sizes;
  for (auto const& run : runs) {
    const auto [kappa, gamma] = speeds_of(run);
    const bool takes_the_core = !choice.own_core && choice.mpi_calls.blocking(wire_bytes(run.bytes, wire));
    if ((takes_the_core ? gamma : std::min(kappa, gamma)) <= slowest_told)
      sizes.push_back(
          fmt::format("{} bytes (compute ran at {:.3g} % of its speed, the all-reduce at {:.3g} %)",
                      run.bytes, 100 * kappa, 100 * gamma));
  }
  if (sizes.empty()) return "";
  return fmt::format(
      "an all-reduce and compute did not run at the same time: one of them stood still while the other ran. "
      "Sizes: {}. {}. The prediction uses a speed of {:.3g} % for the one that stood still, so the predicted "
      "E is uncertain for buckets of these sizes",
      fmt::join(sizes, ", "), cure_of_standstill(tightest), 100 * slowest_told);
}

}  // namespace ddproxy
