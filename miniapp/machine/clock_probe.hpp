// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "miniapp/machine/nvml.hpp"
#include "miniapp/machine/state_probe.hpp"

namespace ddproxy {

/// Probes the clocks of the ranks' GPUs: state_number() of the GPU that is furthest from its highest clock.
/// The ranks compute in step, so that GPU sets the pace. No GPU has run this.
class ClockProbe : public StateProbe {
 public:
  /// `nvml`: of this rank's GPU.
  ClockProbe(Runtime const& runtime, std::unique_ptr<Nvml> nvml)
      : runtime_(runtime), nvml_(std::move(nvml)) {}
  double measure() override;
  std::optional<GpuClocks> clocks() const override { return nvml_->read(); }
  model::StateWords words() const override { return {name_of_clock_state, "the clocks of the GPUs"}; }

 private:
  Runtime const& runtime_;
  std::unique_ptr<Nvml> nvml_;
};

/// Returns the probe of the GPUs at these PCI addresses, each rank's own; null where NVML says nothing of one
/// of them. Rank 0 then says why, in one line. Collective.
std::unique_ptr<StateProbe> make_clock_probe(Runtime const& runtime, std::string const& pci_bus,
                                             std::string const& library = "libnvidia-ml.so.1");

}  // namespace ddproxy
