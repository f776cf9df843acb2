// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace ddproxy::model {

/// Returns the time of a round trip as text, for instance "55 ns".
std::string name_of_round_trip(double seconds);

/// Probes of the machine before and after each sample of one quantity. A probe is a number that reveals the
/// state of the machine (MachineStates below), for instance the seconds of a cache line's round trip between
/// two cores. A NaN is an unknown probe. Both lists are empty if nothing was probed.
struct Probes {
  std::vector<double> before, after;  ///< [sample]
};

/// The samples of one quantity that was measured between probes, for instance the all-reduce of one message
/// size.
struct ProbedTimes {
  Probes probes;
  std::vector<double> seconds;  ///< [sample]; NaN: not measured
};

/// The words for states in messages. `name` returns the name of a state, given the state's median probe.
/// `told_by` names what was probed.
struct StateWords {
  std::string (*name)(double) = name_of_round_trip;
  char const* told_by = "a round trip between cores";
};

/// The states of a machine, derived from probes. A state is a condition in which the same work takes about
/// the same time, for instance a clock level of a GPU, or the two cores on which the host has placed two
/// virtual processors.
///
/// Problem: on a shared host the same all-reduce can take four times as long after the host has moved a
/// virtual processor. A table measured before the move then says nothing about a sample taken after it. A
/// probe shows in which of the two states the machine was.
///
/// Probes that lie close together on a log scale form one state. To find the states, the probes are sorted by
/// value. A probe that is more than 1.6 times the probe before it starts another state. Two kinds of probes
/// are disturbances: probes with few others near them, and small groups. A group is small if in each part of
/// the run it has fewer than three probes or less than 5 % of the probes. Disturbances form no state of their
/// own; they belong to the nearest state. A machine whose probes scatter by 20 % has one state. If there is
/// only one state, every sample belongs to it, whatever the probes of the sample are.
///
/// Two neighbouring states are joined if the measured times are the same in both states. For example, the
/// time of a slow network link does not depend on the round trip between cores. To decide whether to join,
/// the medians of the quantities are summed in each state, and the two sums must differ by less than 5 %.
/// Only quantities with at least three samples in both states enter the sums. States that share no such
/// quantity stay separate.
class MachineStates {
 public:
  MachineStates() = default;  ///< one state, without probes
  /// Derives the states. `phases` holds the probes of each part of a run, for instance the all-reduce table,
  /// the other measurements for the prediction, and the sweep, in any order. Values that are not positive
  /// numbers are ignored. `quantities` holds what was measured between the probes.
  explicit MachineStates(std::vector<std::vector<double>> phases,
                         std::vector<ProbedTimes> const& quantities = {});
  /// Derives the states from the probes of a single part of a run.
  explicit MachineStates(std::vector<double> probes, std::vector<ProbedTimes> const& quantities = {});
  /// Returns states with known limits(), for instance those that rank 0 sent. Their round_trips() are empty.
  static MachineStates between(std::vector<double> limits);

  /// Returns the number of states, at least 1.
  std::size_t count() const { return limits_.size() + 1; }
  /// Returns the thresholds between neighbouring states, in the unit of the probes, rising: count() - 1
  /// values. A probe below limits()[i] belongs to state i or to a state before it.
  std::vector<double> const& limits() const { return limits_; }
  /// Returns the median of each state's probes, in the unit of the probes, rising; empty if unknown.
  std::vector<double> const& round_trips() const { return round_trips_; }
  /// Returns the state of a probe. Returns nothing if the machine has several states and the probe is
  /// unknown.
  std::optional<std::size_t> state_of(double probe) const;
  /// Returns the state of a sample. Returns nothing if the machine has several states, and its two probes
  /// show different states or are both unknown.
  std::optional<std::size_t> state_of(double before, double after) const;
  /// Returns true if two probes are known and show different states.
  bool differ(double before, double after) const;
  /// Returns the name of a state for messages, for instance "55 ns".
  std::string name(std::size_t state) const;
  /// Returns what the states are derived from, in words for messages.
  char const* told_by() const { return words_.told_by; }
  /// Replaces the words that name the states; the default words describe round trips.
  void use(StateWords words) { words_ = words; }

 private:
  bool alike(std::size_t state, std::vector<ProbedTimes> const& quantities) const;

  std::vector<double> round_trips_;  // [state], or empty
  std::vector<double> limits_;       // [state]: threshold between this state and the next one
  StateWords words_;
};

/// Returns the indices of the samples (0 to samples - 1) that were measured in a state. Returns all of them
/// if nothing was probed.
std::vector<std::size_t> samples_in(MachineStates const& states, std::size_t state, Probes const& probes,
                                    std::size_t samples);

/// Returns the values that were measured in a state.
template <class Value>
std::vector<Value> values_in(MachineStates const& states, std::size_t state, Probes const& probes,
                             std::vector<Value> const& values) {
  std::vector<Value> chosen;
  for (const std::size_t k : samples_in(states, state, probes, values.size())) chosen.push_back(values[k]);
  return chosen;
}

}  // namespace ddproxy::model
