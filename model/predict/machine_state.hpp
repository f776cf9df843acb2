// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace ddproxy::model {

/// For instance "55 ns".
std::string name_of_round_trip(double seconds);

/// Probes of the machine beside the samples of one quantity: seconds of a cache line's round trip between two
/// cores, or another number that tells the state, before and after each sample. NaN: unknown. Both are empty
/// where nothing was probed.
struct Probes {
  std::vector<double> before, after;  ///< [sample]
};

/// One quantity that was measured between probes, for instance the all-reduce of one message size.
struct ProbedTimes {
  Probes probes;
  std::vector<double> seconds;  ///< [sample]; NaN: not measured
};

/// How states are named: `name` makes a text of a state's median probe.
struct StateWords {
  std::string (*name)(double) = name_of_round_trip;
  char const* told_by = "a round trip between cores";
};

/// The states of a machine, told from probes. Problem: on a shared host the same all-reduce takes four times
/// as long once the host has moved a virtual processor, so that a table measured before says nothing about a
/// sample taken after. A probe tells which of both it was.
///
/// Probes that lie close together on a log scale are one state; a gap of more than a factor of 1.6 between
/// successive ones starts another. Probes with few others near them, and groups of less than 5 % of the
/// probes of each phase of the run, are disturbances and no states: they count as the state that is nearest.
/// A machine whose probes scatter by 20 % has one state. With one state every sample is of that state,
/// whatever its probes say.
///
/// A state counts only where times differ by it. Two neighbouring states are joined when all quantities that
/// have three samples or more in both take the same time in both: the two sums of their medians differ by
/// less than 5 %. A limited network link, for example, takes equally long whatever a round trip between
/// cores takes. States that share no such quantity stay apart.
class MachineStates {
 public:
  MachineStates() = default;  ///< one state, nothing was probed
  /// `phases`: the probes of each phase of a run, for instance a(x), calibration and sweep; in any order, NaN
  /// is left out. `quantities`: what was measured between them.
  explicit MachineStates(std::vector<std::vector<double>> phases,
                         std::vector<ProbedTimes> const& quantities = {});
  /// Of one phase.
  explicit MachineStates(std::vector<double> probes, std::vector<ProbedTimes> const& quantities = {});
  /// States that were told elsewhere, by their limits(). They have no round trips.
  static MachineStates between(std::vector<double> limits);

  /// At least one.
  std::size_t count() const { return limits_.size() + 1; }
  /// The probes that separate a state from the next one, seconds, rising; one fewer than count().
  std::vector<double> const& limits() const { return limits_; }
  /// The median of each state's probes, seconds, rising; empty where nothing is known.
  std::vector<double> const& round_trips() const { return round_trips_; }
  /// Nothing for an unknown probe of a machine with several states.
  std::optional<std::size_t> state_of(double probe) const;
  /// The state of a sample; nothing where its probes differ in state, or both are unknown.
  std::optional<std::size_t> state_of(double before, double after) const;
  /// Whether the machine changed its state between two probes, as far as they are known.
  bool differ(double before, double after) const;
  /// For people, for instance "55 ns".
  std::string name(std::size_t state) const;
  char const* told_by() const { return words_.told_by; }
  /// Names states by other words than those of round trips.
  void use(StateWords words) { words_ = words; }

 private:
  bool alike(std::size_t state, std::vector<ProbedTimes> const& quantities) const;

  std::vector<double> round_trips_;  // [state], or empty
  std::vector<double> limits_;       // [state], of it and the next one
  StateWords words_;
};

/// The samples that are in a state, by their number, of `samples`; all of them where nothing was probed.
std::vector<std::size_t> samples_in(MachineStates const& states, std::size_t state, Probes const& probes,
                                    std::size_t samples);

/// Those values that are in a state.
template <class Value>
std::vector<Value> values_in(MachineStates const& states, std::size_t state, Probes const& probes,
                             std::vector<Value> const& values) {
  std::vector<Value> chosen;
  for (const std::size_t k : samples_in(states, state, probes, values.size())) chosen.push_back(values[k]);
  return chosen;
}

}  // namespace ddproxy::model
