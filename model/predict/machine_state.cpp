// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/predict/machine_state.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "model/statistics/quantile.hpp"

namespace ddproxy::model {
namespace {

constexpr double gap = 1.6;        // smallest ratio between the probes of two states
constexpr double near = 1.25;      // probes within this factor of each other are near
constexpr double few_near = 0.02;  // a probe counts if this share of its phase (itself included) is near it
constexpr double least_share = 0.05;  // a group is a state if it has at least this share of a phase's probes
constexpr std::size_t least_count = 3;  // and at least this many probes
constexpr double same_time = 0.05;      // two states are joined if their times differ by less than this share
constexpr std::size_t least_samples = 3;  // samples that a quantity needs in both states to be compared

using Values = std::vector<double>;  // sorted, rising
using Phases = std::vector<Values>;  // the probes of each phase of a run

std::size_t share_of(Values const& values, double share, std::size_t least) {
  return std::max(least, static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size()))));
}

std::size_t count_within(Values const& values, double low, double high) {
  const auto first = std::lower_bound(values.begin(), values.end(), low);
  return static_cast<std::size_t>(std::upper_bound(first, values.end(), high) - first);
}

// Returns the probes of all phases that count (few_near), rising. So a few disturbed probes that lie between
// two states do not join the two states. In a phase with at most 50 probes every probe counts.
Values dense(Phases const& phases) {
  Values result;
  for (Values const& phase : phases)
    std::ranges::copy_if(phase, std::back_inserter(result), [&](double value) {
      return count_within(phase, value / near, value * near) >= share_of(phase, few_near, 1);
    });
  std::ranges::sort(result);
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

// Returns true if a group is large enough to be a state in at least one phase. Tests each phase separately: a
// phase that probes twenty times as often as another phase must not make the other phase's state look rare.
bool lasts(Values const& group, Phases const& phases) {
  return std::ranges::any_of(phases, [&](Values const& phase) {
    return count_within(phase, group.front(), group.back()) >= share_of(phase, least_share, least_count);
  });
}

// Returns the groups that are large enough to be states. If no group is large enough, returns one group of
// all probes. Without probes returns no group.
std::vector<Values> lasting_groups(Phases const& phases) {
  std::vector<Values> groups = split_at_gaps(dense(phases));
  std::erase_if(groups, [&](Values const& group) { return !lasts(group, phases); });
  if (!groups.empty()) return groups;
  Values all;
  for (Values const& phase : phases) all.insert(all.end(), phase.begin(), phase.end());
  if (!all.empty()) groups.push_back(all);
  return groups;
}

Values known_and_rising(Values probes) {
  std::erase_if(probes, [](double probe) { return !(std::isfinite(probe) && probe > 0); });
  std::ranges::sort(probes);
  return probes;
}

// Returns the samples of a quantity that were measured in a state.
Values seconds_in(MachineStates const& states, std::size_t state, ProbedTimes const& quantity) {
  Values seconds = values_in(states, state, quantity.probes, quantity.seconds);
  std::erase_if(seconds, [](double value) { return !std::isfinite(value); });
  return seconds;
}

}  // namespace

MachineStates::MachineStates(Values probes, std::vector<ProbedTimes> const& quantities)
    : MachineStates(Phases{std::move(probes)}, quantities) {}

MachineStates::MachineStates(Phases phases, std::vector<ProbedTimes> const& quantities) {
  for (Values& phase : phases) phase = known_and_rising(std::move(phase));
  std::vector<Values> groups = lasting_groups(phases);
  for (Values const& group : groups) {
    if (!round_trips_.empty()) limits_.push_back(std::sqrt(round_trips_.back() * median(group)));
    round_trips_.push_back(median(group));
  }
  for (std::size_t state = 0; state + 1 < count();) {
    if (!alike(state, quantities)) {
      ++state;
      continue;
    }
    const auto next = static_cast<std::ptrdiff_t>(state) + 1;
    groups[state].insert(groups[state].end(), groups[state + 1].begin(), groups[state + 1].end());
    groups.erase(groups.begin() + next);
    round_trips_[state] = median(groups[state]);
    round_trips_.erase(round_trips_.begin() + next);
    limits_.erase(limits_.begin() + next - 1);
  }
}

// Returns true if the measured quantities take the same time in a state and in the next state.
bool MachineStates::alike(std::size_t state, std::vector<ProbedTimes> const& quantities) const {
  double here = 0, next = 0;
  for (auto const& quantity : quantities) {
    if (quantity.probes.before.empty()) continue;  // without probes: no information about either state
    const Values in_this = seconds_in(*this, state, quantity),
                 in_next = seconds_in(*this, state + 1, quantity);
    if (std::min(in_this.size(), in_next.size()) < least_samples) continue;
    here += median(in_this);
    next += median(in_next);
  }
  return std::min(here, next) > 0 && std::max(here, next) < (1 + same_time) * std::min(here, next);
}

MachineStates MachineStates::between(std::vector<double> limits) {
  MachineStates states;
  states.limits_ = std::move(limits);
  return states;
}

std::optional<std::size_t> MachineStates::state_of(double probe) const {
  if (count() == 1) return 0;
  if (!(probe > 0)) return std::nullopt;
  const auto limit = std::upper_bound(limits_.begin(), limits_.end(), probe);
  return static_cast<std::size_t>(limit - limits_.begin());
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
  return state < round_trips_.size() ? words_.name(round_trips_[state]) : "unknown";
}

std::string name_of_round_trip(double seconds) {
  const double nanoseconds = seconds * 1e9;
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
