// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/types.hpp"
#include "miniapp/device/completion.hpp"

// The door to the device that computes. Of the two files behind it CMake takes one: device_host.cpp, where
// the processor computes and nothing is asynchronous, or device_gpu.cpp, for CUDA and HIP.
namespace ddproxy {

/// Whether the kernels' memory is a device's own, out of the host's reach.
inline constexpr bool on_device = !Kokkos::SpaceAccessibility<Kokkos::HostSpace, kernels::Memory>::accessible;

/// Tells when an execution-space instance has done all it was asked for so far: on a device by events that
/// are made once and used again in turn, on a host by waiting for it.
class Marks {
 public:
  /// For passes of so many operations: what after() returns holds until that many more are run.
  explicit Marks(std::size_t operations);
  ~Marks();
  Marks(Marks const&) = delete;
  Marks& operator=(Marks const&) = delete;

  /// The instance was asked for more.
  void move_on() { current_.reset(); }

  /// The same one until move_on().
  Completion after(kernels::Space const& exec) {
    if (!current_) current_ = record(exec);
    return *current_;
  }

 private:
  Completion record(kernels::Space const& exec);

  std::vector<std::unique_ptr<Event>> events_;
  [[maybe_unused]] std::size_t next_ = 0;  // a host has no events
  std::optional<Completion> current_;
};

/// What `exec` is asked for from now on begins when `completion` is over; on a device without stopping the
/// host.
void begin_after(kernels::Space const& exec, Completion const& completion);

/// Notes where the device's clock stands on the host's. The device is to be idle; not to be called while time
/// is measured.
void synchronise_clocks();

/// Makes the run's device the calling thread's: a new thread begins with device 0.
void adopt_device();

/// Devices that this process sees; a host is none. `reason`: the driver's, where there are none.
int count_devices(std::string& reason);

/// Of a host all is empty.
struct DeviceInfo {
  std::string name, uuid, pci_bus;
  double clock_hz = 0, memory_clock_hz = 0;  ///< the highest
};
DeviceInfo describe_device(int device);

/// Whether the device has failed for good (an illegal access, a memory error): then nothing can be asked of
/// it any more, not even to free its memory. Never on a host.
bool device_is_lost();

/// Bytes that the run's device can still give; NaN for a host, miniapp/machine/memory.hpp knows more of that.
double free_device_memory();

/// Names and versions of the device's libraries, for instance cuda_driver.
std::vector<std::pair<std::string, std::string>> device_versions();

}  // namespace ddproxy
