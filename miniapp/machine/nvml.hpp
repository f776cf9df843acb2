// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace ddproxy {

/// The clocks of an NVIDIA GPU, as its driver reports them.
struct GpuClocks {
  double sm_hz = 0, most_sm_hz = 0;  ///< clock of the multiprocessors: current, and the highest of this GPU
  double power_cap_watts = 0;        ///< 0: the driver does not report it
  std::uint64_t reasons = 0;     ///< reasons for a clock below its maximum: bits of nvmlClocksThrottleReasons
  double default_cap_watts = 0;  ///< power cap that the GPU has by default; 0: the driver does not report it
  /// Seconds in which power held the clock down, plus those in which heat did, since the driver was loaded.
  /// Only differences have a meaning. Below 0: the driver does not report them.
  double held_down_s = -1;
};

/// Reads the clocks of a GPU through NVIDIA's management library (NVML). The library is loaded at run time,
/// so the build needs neither NVML nor its header. A run needs libnvidia-ml.so.1, which comes with the
/// driver. Functions and constants are taken from the reference manual of NVML. This class has run on one
/// H200.
class Nvml {
 public:
  /// Opens the GPU at a PCI address, for instance 00000000:3B:00.0. If the library cannot be loaded, lacks a
  /// required function, does not know the GPU or does not return its clocks, returns null and assigns the
  /// reason to `doubt`. Otherwise makes `doubt` empty.
  static std::unique_ptr<Nvml> open(std::string const& pci_bus, std::string& doubt,
                                    std::string const& library = "libnvidia-ml.so.1");
  ~Nvml();
  Nvml(Nvml const&) = delete;
  Nvml& operator=(Nvml const&) = delete;

  /// Reads the clocks, which takes a few microseconds to a millisecond. Returns nothing if the driver reports
  /// an error.
  std::optional<GpuClocks> read() const;

 private:
  struct Functions;
  explicit Nvml(std::unique_ptr<Functions> functions);
  std::unique_ptr<Functions> functions_;
};

/// Returns whether power, heat or the hardware holds the GPU below its highest clock. Returns false if the
/// clock is low only because the GPU is idle or because a user set the clock.
bool is_throttled(GpuClocks const& clocks);

/// Returns the state of a GPU as a number 2^k, for MachineStates (model/predict/machine_state.hpp). k is the
/// number of steps of 10 % by which the clock is below its maximum, rounded, plus 32 if the GPU is throttled.
/// So the numbers of different states differ by a factor of at least two, and MachineStates tells them apart.
double state_number(GpuClocks const& clocks);

/// Returns the text that describes a state_number(), for instance "clock 20 % below its maximum, throttled".
std::string name_of_clock_state(double number);

}  // namespace ddproxy
