// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/app/record/recorder.hpp"
#include "miniapp/app/record/recorder_columns.hpp"

namespace ddproxy {
namespace {

constexpr std::int64_t none = -1;

std::int64_t number_of(std::optional<std::size_t> state) {
  return state ? static_cast<std::int64_t>(*state) : none;
}

}  // namespace

void Recorder::states(SweepStates const& sweep, std::optional<std::size_t> state) {
  auto const& states = sweep.states;
  writer_.write("/states/round_trip", states.round_trips());
  Texts names;
  for (std::size_t k = 0; k < states.round_trips().size(); ++k) names.push_back(states.name(k));
  writer_.write("/states/name", names);
  writer_.attribute("/states", "told_by", std::string(states.told_by()));
  writer_.write("/states/scored", Integers{number_of(state)});
  if (sweep.total == 0) return;
  writer_.write("/states/samples", Integers(sweep.samples.begin(), sweep.samples.end()));
  writer_.write("/states/dropped", Integers{static_cast<std::int64_t>(sweep.dropped)});
  const auto taken = samples();
  const std::size_t rounds = writer_.reader().extents("/sweep/order")[1];
  Integers numbers(taken.size() * rounds, none), counted = numbers;
  for (std::size_t item = 0; item < taken.size(); ++item)
    for (Sample const& sample : taken[item]) {
      const auto own = state_of(states, sample);
      numbers[item * rounds + sample.round] = number_of(own);
      counted[item * rounds + sample.round] = !state || own == state;
    }
  writer_.write("/sweep/state", numbers, {taken.size(), rounds});
  writer_.write("/sweep/counted", counted, {taken.size(), rounds});
}

void Recorder::gpu_clocks(ClocksOfRanks const& before, ClocksOfRanks const& after) {
  if (before.empty() || before.size() != after.size()) return;
  Reals clocks, caps, default_caps;
  Integers reasons;
  for (std::size_t rank = 0; rank < before.size(); ++rank) {
    for (auto const& moment : {before[rank], after[rank]}) {
      clocks.push_back(moment.sm_hz);
      caps.push_back(moment.power_cap_watts);
      reasons.push_back(static_cast<std::int64_t>(moment.reasons));
    }
    default_caps.push_back(before[rank].default_cap_watts);
  }
  const std::vector<std::size_t> extents{before.size(), 2};
  writer_.write("/states/sm_clock", clocks, extents);
  writer_.write("/states/power_cap", caps, extents);
  writer_.write("/states/throttle_reasons", reasons, extents);
  writer_.write("/states/default_power_cap", default_caps);
  writer_.write("/states/throttled", seconds_held_down(before, after));
}

}  // namespace ddproxy
