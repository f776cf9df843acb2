// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "miniapp/analysis/analysis.hpp"
#include "model/predict/machine_state.hpp"

namespace ddproxy {

/// The states of the machine during a sweep.
struct SweepStates {
  model::MachineStates states;
  std::vector<std::size_t> samples;   ///< of the sweep, [state]
  std::size_t dropped = 0;            ///< samples whose probes differ in state
  std::size_t total = 0;              ///< samples, whatever their state
  std::optional<std::size_t> scored;  ///< with the most samples; nothing where no sample is in a state

  bool unsteady() const { return 2 * dropped > total; }
};

/// The state of a sample; nothing where the probes of T, those of T_compute, or one of both pairs and the
/// other differ in state, or none is known.
std::optional<std::size_t> state_of(model::MachineStates const& states, Sample const& sample);

/// Tells them from the probes of the samples [case][sample].
SweepStates tell_states(model::MachineStates const& states, std::vector<std::vector<Sample>> const& samples);

/// Those of a case that count: in that state; all where it is nothing.
std::vector<Sample> samples_that_count(model::MachineStates const& states, std::optional<std::size_t> state,
                                       std::vector<Sample> const& samples);

/// What a run says about its states, in a line; empty where there is one. `state`: that of tables and
/// figures.
std::string states_line(SweepStates const& sweep, std::optional<std::size_t> state);

}  // namespace ddproxy
