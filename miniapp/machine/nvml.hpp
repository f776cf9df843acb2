// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace ddproxy {

/// What the driver of an NVIDIA GPU says of its clocks.
struct GpuClocks {
  double sm_hz = 0, most_sm_hz = 0;  ///< of the multiprocessors: now, and the highest of this GPU
  double power_cap_watts = 0;        ///< 0: the driver does not say
  std::uint64_t reasons = 0;  ///< why the clock is below its maximum, bits of nvmlClocksThrottleReasons
};

/// NVIDIA's management library (NVML), loaded when the program runs: neither its header nor the library is
/// needed to build. Needs the driver's libnvidia-ml.so.1. Its functions and numbers are those of NVML's
/// reference manual; no GPU has run this.
class Nvml {
 public:
  /// Opens the GPU at a PCI address, for instance 00000000:3B:00.0. Returns null and says why in `doubt`
  /// where the library cannot be loaded, lacks a function or does not know the GPU.
  static std::unique_ptr<Nvml> open(std::string const& pci_bus, std::string& doubt,
                                    std::string const& library = "libnvidia-ml.so.1");
  ~Nvml();
  Nvml(Nvml const&) = delete;
  Nvml& operator=(Nvml const&) = delete;

  /// Reads the clocks, which takes some microseconds to a millisecond; nothing where the driver refuses.
  std::optional<GpuClocks> read() const;

 private:
  struct Functions;
  explicit Nvml(std::unique_ptr<Functions> functions);
  std::unique_ptr<Functions> functions_;
};

/// Whether the GPU is held below its clocks by power, heat or hardware; not because it is idle or because
/// somebody set its clocks.
bool is_throttled(GpuClocks const& clocks);

/// Tells the state of a GPU as a number above 0, which MachineStates can group: 2 to the power of k, where k
/// is the number of steps of 10 % by which the clock lies below its maximum, and 32 more while it is
/// throttled. Numbers of different states differ by a factor of two at least.
double state_number(GpuClocks const& clocks);

/// For people, for instance "clock 20 % below its maximum, throttled", of a state_number().
std::string name_of_clock_state(double number);

}  // namespace ddproxy
