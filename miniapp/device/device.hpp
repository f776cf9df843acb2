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

// The interface to the device that computes. CMake compiles one of two implementations: device_host.cpp,
// where the processor computes and nothing is asynchronous, or device_gpu.cpp, for CUDA and HIP.
namespace ddproxy {

/// True if the kernels use a device's own memory, which the host cannot access.
inline constexpr bool on_device = !Kokkos::SpaceAccessibility<Kokkos::HostSpace, kernels::Memory>::accessible;

/// Gives a Completion for the work that was enqueued so far on an execution-space instance. On a device
/// after() records an event. Creating an event takes long, so the constructor creates all events and after()
/// uses them in turn. On a host after() waits for the instance instead.
///
/// Order of calls: move_on() after each operation that is enqueued; after() whenever a completion is needed.
class Marks {
 public:
  /// Creates the events for steps of `operations` operations. An event that after() returns stays valid until
  /// `operations` more operations have been enqueued.
  explicit Marks(std::size_t operations);
  ~Marks();
  Marks(Marks const&) = delete;
  Marks& operator=(Marks const&) = delete;

  /// Notes that more work was enqueued on the instance.
  void move_on() { current_.reset(); }

  /// Returns the completion of all work enqueued on `exec`. Calls without a move_on() between them return the
  /// same completion. On a host it waits for `exec`.
  Completion after(kernels::Space const& exec) {
    if (!current_) current_ = record(exec);
    return *current_;
  }

 private:
  Completion record(kernels::Space const& exec);

  std::vector<std::unique_ptr<Event>> events_;
  [[maybe_unused]] std::size_t next_ = 0;  // index of the next event; a host has no events
  std::optional<Completion> current_;
};

/// Makes all work that is enqueued on `exec` from now on begin after `completion`. If the completion is an
/// event, the stream waits and the host goes on. Otherwise the host waits.
void begin_after(kernels::Space const& exec, Completion const& completion);

/// Measures the offset between the device's clock and the host's clock, which Event::moment() uses. Call it
/// while the device is idle and outside of any timed region. Does nothing on a host.
void synchronise_clocks();

/// Selects the device of the run for the calling thread. A new thread starts with device 0. Does nothing on a
/// host.
void adopt_device();

/// Returns the number of devices that this process sees; 0 in a build for a host. If there are none, `reason`
/// says why: the driver's error message, or that the program computes on the host.
int count_devices(std::string& reason);

/// Identity and clocks of a device. On a host all members are empty or 0.
struct DeviceInfo {
  std::string name, uuid, pci_bus;
  double clock_hz = 0, memory_clock_hz = 0;  ///< the highest clocks
};
/// Returns the properties of device number `device`.
DeviceInfo describe_device(int device);

/// Returns whether the device has failed permanently, for instance after an illegal access or a memory error.
/// Every later call to it then fails, even one that frees memory. Returns false on a host.
bool device_is_lost();

/// Returns the free memory of the run's device, in bytes. Returns NaN on a host; miniapp/machine/memory.hpp
/// finds the free memory of a host.
double free_device_memory();

/// Returns two pairs of a key and a text. The keys are device_runtime and device_driver. The text is the name
/// and version of the runtime or the driver. Returns an empty list on a host.
std::vector<std::pair<std::string, std::string>> device_versions();

}  // namespace ddproxy
