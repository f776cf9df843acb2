// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>

#include "miniapp/machine/nvml.hpp"
#include "model/predict/machine_state.hpp"

namespace ddproxy {

/// Probes the state of the machine (model/predict/machine_state.hpp). It is called before and after each
/// sample.
class StateProbe {
 public:
  virtual ~StateProbe() = default;
  /// Measures and returns a value above 0, from which MachineStates derives the state; the same on all ranks.
  /// NaN: unknown. Takes microseconds, and never more than a few milliseconds. Collective.
  virtual double measure() = 0;
  /// Returns the words that name the states.
  virtual model::StateWords words() const { return {}; }
  /// Returns the clocks of this rank's GPU, which are stored before and after the run. Returns nothing for a
  /// probe of cores.
  virtual std::optional<GpuClocks> clocks() const { return std::nullopt; }
};

/// Takes one sample between two probes and adds their values to `probes`. Only takes the sample if `probe` is
/// null. Collective.
template <class TakeSample>
void probed(StateProbe* probe, model::Probes& probes, TakeSample const& take_sample) {
  if (!probe) return take_sample();
  probes.before.push_back(probe->measure());
  take_sample();
  probes.after.push_back(probe->measure());
}

}  // namespace ddproxy
