// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace ddproxy::model {

/// Probes of the machine beside the samples of one quantity: seconds of a cache line's round trip between two
/// cores, before and after each sample. NaN: unknown. Both are empty where nothing was probed.
struct Probes {
  std::vector<double> before, after;  ///< [sample]
};

/// The states of a machine, told from probes. Problem: on a shared host the same all-reduce takes four times
/// as long once the host has moved a virtual processor, so that a table measured before says nothing about a
/// sample taken after. A probe tells which of both it was.
///
/// Probes that lie close together on a log scale are one state; a gap of more than a factor of 1.6 between
/// successive ones starts another. Probes with few others near them, and groups of less than 5 % of all, are
/// disturbances and no states: they count as the state that is nearest. A machine whose probes scatter by 20
/// % has one state. With one state every sample is of that state, whatever its probes say.
class MachineStates {
 public:
  MachineStates() = default;  ///< one state, nothing was probed
  /// `probes`: in any order; NaN is left out.
  explicit MachineStates(std::vector<double> probes);
  /// States that were told elsewhere, by their rising round trips.
  static MachineStates of_round_trips(std::vector<double> round_trips);

  /// At least one.
  std::size_t count() const { return round_trips_.empty() ? 1 : round_trips_.size(); }
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

 private:
  std::vector<double> round_trips_;  // [state]
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
