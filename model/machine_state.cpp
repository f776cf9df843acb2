// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/machine_state.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/quantile.hpp"

namespace ddproxy::model {
namespace {

constexpr double gap = 1.6;           // between two states
constexpr double near = 1.25;         // what lies within this factor of a probe is near it
constexpr double few_near = 0.02;     // of all probes, as many near it make one count
constexpr double least_share = 0.05;  // of all probes, as many make a state
constexpr std::size_t least_count = 3;

using Values = std::vector<double>;  // rising

std::size_t share_of(Values const& values, double share, std::size_t least) {
  return std::max(least, static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size()))));
}

// Those with enough others near them: what a few disturbances leave between two states does not join them.
Values dense(Values const& values) {
  const std::size_t enough = share_of(values, few_near, 1);
  Values result;
  for (const double value : values) {
    const auto low = std::lower_bound(values.begin(), values.end(), value / near);
    const auto high = std::upper_bound(values.begin(), values.end(), value * near);
    if (static_cast<std::size_t>(high - low) >= enough) result.push_back(value);
  }
  return result;
}

std::vector<Values> split_at_gaps(Values const& values) {
  std::vector<Values> groups;
  for (const double value : values) {
    if (groups.empty() || value > gap * groups.back().back()) groups.emplace_back();
    groups.back().push_back(value);
  }
  return groups;
}

}  // namespace

MachineStates::MachineStates(Values probes) {
  std::erase_if(probes, [](double probe) { return !(std::isfinite(probe) && probe > 0); });
  std::sort(probes.begin(), probes.end());
  const std::size_t enough = share_of(probes, least_share, least_count);
  for (Values const& group : split_at_gaps(dense(probes)))
    if (group.size() >= enough) round_trips_.push_back(median(group));
  if (round_trips_.empty() && !probes.empty()) round_trips_.push_back(median(probes));
}

MachineStates MachineStates::of_round_trips(std::vector<double> round_trips) {
  MachineStates states;
  states.round_trips_ = std::move(round_trips);
  return states;
}

std::optional<std::size_t> MachineStates::state_of(double probe) const {
  if (count() == 1) return 0;
  if (!(probe > 0)) return std::nullopt;
  std::size_t nearest = 0;
  const auto distance = [&](std::size_t k) { return std::abs(std::log(probe / round_trips_[k])); };
  for (std::size_t k = 1; k < round_trips_.size(); ++k)
    if (distance(k) < distance(nearest)) nearest = k;
  return nearest;
}

std::optional<std::size_t> MachineStates::state_of(double before, double after) const {
  const auto first = state_of(before), second = state_of(after);
  if (differ(before, after)) return std::nullopt;
  return first ? first : second;
}

bool MachineStates::differ(double before, double after) const {
  const auto first = state_of(before), second = state_of(after);
  return first && second && *first != *second;
}

std::string MachineStates::name(std::size_t state) const {
  if (state >= round_trips_.size()) return "unknown";
  const double nanoseconds = round_trips_[state] * 1e9;
  const double rounded = nanoseconds >= 100 ? std::round(nanoseconds / 10) * 10 : std::round(nanoseconds);
  return std::to_string(static_cast<long long>(rounded)) + " ns";
}

std::vector<std::size_t> samples_in(MachineStates const& states, std::size_t state, Probes const& probes,
                                    std::size_t samples) {
  std::vector<std::size_t> chosen;
  for (std::size_t k = 0; k < samples; ++k) {
    const bool probed = k < probes.before.size() && k < probes.after.size();
    if (!probed || states.state_of(probes.before[k], probes.after[k]) == state) chosen.push_back(k);
  }
  return chosen;
}

}  // namespace ddproxy::model
