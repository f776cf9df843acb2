// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>

#include "miniapp/machine/nvml.hpp"
#include "model/predict/machine_state.hpp"

namespace ddproxy {

/// Probes the state of the machine before and after each sample. A state is a condition in which the same
/// work takes about the same time (model/predict/machine_state.hpp). A probe is a short measurement that
/// shows the state.
class StateProbe {
 public:
  virtual ~StateProbe() = default;
  /// Measures and returns a value above 0, from which MachineStates derives the state. The value is the same
  /// on all ranks. NaN: unknown. Usually takes microseconds. A probe of cores that gets no answer takes up to
  /// 16 ms. Collective.
  virtual double measure() = 0;
  /// Returns the words with which messages name the states.
  virtual model::StateWords words() const { return {}; }
  /// Returns the current clocks of this rank's GPU. Returns nothing if this is a probe of cores, or if the
  /// driver reports an error. The results file has the clocks before the calibration and after the sweep
  /// (/states/sm_clock).
  virtual std::optional<GpuClocks> clocks() const { return std::nullopt; }
};

/// Takes one sample between two probes and appends the values of the probes to `probes`. If `probe` is null,
/// takes the sample and does nothing else. Collective.
template <class TakeSample>
void probed(StateProbe* probe, model::Probes& probes, TakeSample const& take_sample) {
  if (!probe) return take_sample();
  probes.before.push_back(probe->measure());
  take_sample();
  probes.after.push_back(probe->measure());
}

}  // namespace ddproxy
