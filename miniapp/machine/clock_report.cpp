// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/machine/clock_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "miniapp/predict/analysis/figure_of_merit.hpp"

namespace ddproxy {
namespace {

constexpr std::size_t values_of_a_rank = 6;
constexpr double watt = 1,
                 short_time = 0.1;  // smaller differences of caps, and shorter throttling, are ignored

GpuClocks unpack(double const* v) {
  return {v[0], v[1], v[2], static_cast<std::uint64_t>(v[3]), v[4], v[5]};
}

std::string name(std::vector<std::size_t> const& ranks) {
  return fmt::format("rank{} {}", ranks.size() == 1 ? "" : "s", fmt::join(ranks, ", "));
}

std::string describe(double seconds) {
  return seconds > short_time ? fmt::format("for {:.1f} s of the run", seconds)
                              : std::string("at the start or at the end of the run");
}

}  // namespace

ClocksOfRanks gather_clocks(Runtime const& runtime, StateProbe const* probe) {
  const auto mine = probe ? probe->clocks() : std::nullopt;
  if (runtime.maximum(mine ? 0.0 : 1.0) > 0) return {};
  const auto values = runtime.gather(std::vector<double>{mine->sm_hz, mine->most_sm_hz, mine->power_cap_watts,
                                                         static_cast<double>(mine->reasons),
                                                         mine->default_cap_watts, mine->held_down_s});
  ClocksOfRanks all;
  for (std::size_t at = 0; at < values.size(); at += values_of_a_rank) all.push_back(unpack(&values[at]));
  return all;
}

std::vector<double> seconds_held_down(ClocksOfRanks const& before, ClocksOfRanks const& after) {
  std::vector<double> seconds;
  if (before.size() != after.size()) return seconds;
  for (std::size_t rank = 0; rank < before.size(); ++rank) {
    const double first = before[rank].held_down_s, last = after[rank].held_down_s;
    seconds.push_back(first < 0 || last < 0 ? not_available : last - first);
  }
  return seconds;
}

std::string doubt_about_power_caps(ClocksOfRanks const& clocks) {
  std::vector<std::size_t> capped;
  for (std::size_t rank = 0; rank < clocks.size(); ++rank)
    if (clocks[rank].power_cap_watts > 0 &&
        clocks[rank].power_cap_watts < clocks[rank].default_cap_watts - watt)
      capped.push_back(rank);
  if (capped.empty()) return "";
  auto const& first = clocks[capped.front()];
  return fmt::format(
      "the power cap of the GPU of {} is below its default (rank {}: {:.0f} W in place of {:.0f} W), so the "
      "same code takes longer than on a node without this cap: ask the administrator to raise the cap "
      "(nvidia-smi -pl), or compare only with runs under the same cap (/states/power_cap)",
      name(capped), capped.front(), first.power_cap_watts, first.default_cap_watts);
}

std::string doubt_about_throttling(ClocksOfRanks const& before, ClocksOfRanks const& after) {
  const auto seconds = seconds_held_down(before, after);
  std::vector<std::size_t> slowed;
  for (std::size_t rank = 0; rank < seconds.size(); ++rank)
    if (seconds[rank] > short_time || is_throttled(before[rank]) || is_throttled(after[rank]))
      slowed.push_back(rank);
  if (slowed.empty()) return "";
  return fmt::format(
      "power or heat held the clock of the GPU of {} down (rank {}: {}), so the same code takes longer than "
      "without this limit: compare only with runs that were throttled for a similar time (/states/throttled)",
      name(slowed), slowed.front(), describe(seconds[slowed.front()]));
}

}  // namespace ddproxy
