// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/predict/analysis/sweep_states.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace ddproxy {
namespace {

std::string names_of(model::MachineStates const& states) {
  std::vector<std::string> names;
  for (std::size_t state = 0; state < states.count(); ++state) names.push_back(states.name(state));
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string sweep_text(SweepStates const& sweep) {
  if (sweep.total == 0) return "";
  std::string text;
  for (std::size_t state = 0; state < sweep.samples.size(); ++state)
    text += fmt::format("{} in the state {}, ", sweep.samples[state], sweep.states.name(state));
  return fmt::format(
      " Samples of the sweep: {}and {} of {} were dropped, because the state changed during them.", text,
      sweep.dropped, sweep.total);
}

std::string used_text(SweepStates const& sweep, std::optional<std::size_t> state) {
  return state ? fmt::format(" Used: the state {}.", sweep.states.name(*state)) : "";
}

// Says whether the states make the figures worse. The tables and figures use the samples of `state`. Does not
// name the state, because the text stands before the sentence that explains the names.
std::string verdict(SweepStates const& sweep, std::optional<std::size_t> state) {
  if (!state)
    return "no state lasted long enough, so tables and figures mix the samples of all states and are "
           "uncertain; repeat the run on a quieter machine";
  if (sweep.total == 0) return "the tables use only the samples of one state";
  if (sweep.unsteady())
    return "the figures are not reliable (valid=unsteady), because more than half of the samples were "
           "dropped; repeat the run on a quieter machine";
  if (sweep.samples.at(*state) == sweep.total)
    return "the figures are not affected, because all samples of the sweep were taken in one state";
  return "the figures are right for one state; samples of other states are left out, so the intervals are "
         "wider";
}

// Returns whether two probes of a sample show different states. Such a sample is not used, because T and
// T_compute must be measured in the same state: E is their difference.
bool straddles(model::MachineStates const& states, Sample const& sample) {
  const double probes[] = {sample.compute_probe_before, sample.compute_probe_after, sample.probe_before,
                           sample.probe_after};
  for (const double one : probes)
    for (const double other : probes)
      if (states.differ(one, other)) return true;
  return false;
}

}  // namespace

std::optional<std::size_t> state_of(model::MachineStates const& states, Sample const& sample) {
  if (straddles(states, sample)) return std::nullopt;
  const auto state = states.state_of(sample.probe_before, sample.probe_after);
  return state ? state : states.state_of(sample.compute_probe_before, sample.compute_probe_after);
}

SweepStates tell_states(model::MachineStates const& states, std::vector<std::vector<Sample>> const& samples) {
  SweepStates sweep{states, std::vector<std::size_t>(states.count()), 0, 0, std::nullopt};
  for (auto const& of_case : samples) {
    sweep.total += of_case.size();
    for (auto const& sample : of_case) {
      if (const auto state = state_of(states, sample)) ++sweep.samples[*state];
      sweep.dropped += straddles(states, sample);
    }
  }
  const auto most = std::ranges::max_element(sweep.samples);
  if (*most > 0) sweep.scored = static_cast<std::size_t>(most - sweep.samples.begin());
  return sweep;
}

std::vector<Sample> samples_that_count(model::MachineStates const& states, std::optional<std::size_t> state,
                                       std::vector<Sample> const& samples) {
  if (!state) return samples;
  std::vector<Sample> counted;
  std::ranges::copy_if(samples, std::back_inserter(counted),
                       [&](Sample const& sample) { return state_of(states, sample) == state; });
  return counted;
}

std::vector<double> totals_that_count(model::MachineStates const& states, std::optional<std::size_t> state,
                                      std::vector<Sample> const& samples) {
  std::vector<double> totals;
  for (Sample const& sample : samples) {
    const bool counts = !state || state_of(states, sample) == state;
    totals.push_back(counts ? std::ranges::max(sample.total) : not_available);
  }
  return totals;
}

std::string states_line(SweepStates const& sweep, std::optional<std::size_t> state) {
  if (sweep.states.count() == 1) return "";
  return fmt::format(
      "states of the machine (docs/glossary.md): {}. The speed of the machine changed between {} states. "
      "ddproxy tells them apart by {}: {}.{}{}\n",
      verdict(sweep, state), sweep.states.count(), sweep.states.told_by(), names_of(sweep.states),
      used_text(sweep, state), sweep_text(sweep));
}

}  // namespace ddproxy
