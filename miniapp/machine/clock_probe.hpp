// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "miniapp/machine/nvml.hpp"
#include "miniapp/machine/runtime.hpp"
#include "miniapp/machine/state_probe.hpp"

namespace ddproxy {

/// Probes the clocks of the GPUs of all ranks. The value is the greatest state_number()
/// (miniapp/machine/nvml.hpp) of any GPU. Throttled GPUs have greater numbers than all others. So the value
/// belongs to a throttled GPU if there is one. Otherwise it belongs to the GPU that is furthest below its
/// highest clock. The ranks wait for each other in every step, so this GPU sets the pace.
class ClockProbe : public StateProbe {
 public:
  /// Takes the opened GPU of this rank. `nvml` must not be null. `runtime` must outlive the probe.
  ClockProbe(Runtime const& runtime, std::unique_ptr<Nvml> nvml)
      : runtime_(runtime), nvml_(std::move(nvml)) {}
  double measure() override;
  std::optional<GpuClocks> clocks() const override { return nvml_->read(); }
  model::StateWords words() const override { return {name_of_clock_state, "the clocks of the GPUs"}; }

 private:
  Runtime const& runtime_;
  std::unique_ptr<Nvml> nvml_;
};

/// Returns a probe of the GPUs of all ranks. `pci_bus` is the PCI address of the GPU of this rank. `library`
/// is the file name of NVML, NVIDIA's management library. If NVML cannot read the clocks of the GPU of some
/// rank, returns null on all ranks, and rank 0 prints a warning of one line that says why. Collective.
std::unique_ptr<StateProbe> make_clock_probe(Runtime const& runtime, std::string const& pci_bus,
                                             std::string const& library = "libnvidia-ml.so.1");

}  // namespace ddproxy
