// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "miniapp/predict/analysis/analysis.hpp"
#include "model/predict/machine_state.hpp"

namespace ddproxy {

/// The states of the machine during a sweep. A state is a condition in which the same work takes about the
/// same time, for instance a clock level (model/predict/machine_state.hpp).
struct SweepStates {
  model::MachineStates states;
  std::vector<std::size_t> samples;   ///< [state] number of samples of the sweep
  std::size_t dropped = 0;            ///< number of samples whose probes show different states
  std::size_t total = 0;              ///< number of samples, whatever their state
  std::optional<std::size_t> scored;  ///< the state with the most samples; nothing if no sample has a state

  /// Returns whether more than half of the samples were dropped.
  bool unsteady() const { return 2 * dropped > total; }
};

/// Returns the index of the state in which a sample was taken. A sample has four probes of the machine:
/// before and after T, and before and after T_compute. Unknown probes are ignored. Returns nothing if two
/// probes show different states, or if all four are unknown.
std::optional<std::size_t> state_of(model::MachineStates const& states, Sample const& sample);

/// Counts the samples of each state. `samples`: [case][sample].
SweepStates tell_states(model::MachineStates const& states, std::vector<std::vector<Sample>> const& samples);

/// Returns the samples of a case that were taken in `state`. Returns all samples if `state` has no value.
std::vector<Sample> samples_that_count(model::MachineStates const& states, std::optional<std::size_t> state,
                                       std::vector<Sample> const& samples);

/// Returns T of each sample of a case in seconds, [round], the maximum over its ranks. A sample that
/// samples_that_count() leaves out is NaN.
std::vector<double> totals_that_count(model::MachineStates const& states, std::optional<std::size_t> state,
                                      std::vector<Sample> const& samples);

/// Returns a line for messages that describes the states of a run. Returns an empty string if there is only
/// one state. `state` is the state whose samples the tables and figures use. If it has no value, they use all
/// samples.
std::string states_line(SweepStates const& sweep, std::optional<std::size_t> state);

}  // namespace ddproxy
