// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>
#include <vector>

// Functions that list the devices of this process, select one of them, and return its memory and clocks.
// CMake compiles one of two implementations: device_gpu.cpp and gpu.cpp for CUDA and HIP, or device_host.cpp.
// In device_host.cpp the processor computes, and nothing is asynchronous. This header does not include
// Kokkos, so the host's compiler can compile files that include it. The functions that need Kokkos are in
// marks.hpp.
namespace ddproxy {

/// True if the kernels use a device's own memory, which the host cannot access.
/// miniapp/device/CMakeLists.txt defines DDPROXY_ON_DEVICE as 1 or 0.
inline constexpr bool on_device = DDPROXY_ON_DEVICE;

/// Measures the offset between the device's clock and the host's clock. Event::moment() uses this offset.
/// Call this function while the device is idle, and not while anything is timed. Does nothing on a host.
/// Throws std::runtime_error if the device's library reports an error, or if an earlier launch of a kernel on
/// this thread failed.
void synchronise_clocks();

/// Selects the device of the run for the calling thread. Each new thread that uses the device has to call
/// this function, because a new thread starts with device 0. Does nothing on a host. Throws
/// std::runtime_error if the device's library reports an error.
void adopt_device();

/// Returns the number of devices that this process sees; 0 in a build for a host. If the driver reports an
/// error, returns 0 and assigns its message to `reason`. In a build for a host, assigns to `reason` that the
/// program computes on the host.
int count_devices(std::string& reason);

/// Selects a device for the calling thread, if the driver accepts it. Otherwise does nothing. Does nothing on
/// a host.
void select_device(int device);

/// The identity and the clocks of a device. On a host all members are empty or 0.
struct DeviceInfo {
  std::string name, uuid, pci_bus;
  double clock_hz = 0, memory_clock_hz = 0;  ///< highest clocks of the multiprocessors and of the memory, Hz
};
/// Returns the identity and the clocks of device number `device`. Throws std::runtime_error if the driver
/// reports an error.
DeviceInfo describe_device(int device);

/// Returns the numbers of the visible devices whose memory device `device` can access directly, over NVLink
/// or PCIe, for instance "1,2,3". Returns an empty text if there are none, and on a host. Throws
/// std::runtime_error if the device's library cannot tell whether a pair has access.
std::string peers_of(int device);

/// Returns whether the device has failed permanently, for instance after an illegal access or a memory error.
/// Every later call to that device fails, even a call that frees memory. Returns false on a host.
bool device_is_lost();

/// Returns the free memory of the run's device, in bytes. Returns NaN on a host; available_memory()
/// (miniapp/input/host_memory.hpp) returns the free memory of a host. Throws std::runtime_error if the
/// device's library reports an error.
double free_device_memory();

/// Returns the memory of the run's device, free or not, in bytes. Returns NaN on a host. Throws
/// std::runtime_error if the device's library reports an error.
double device_memory();

/// Returns two pairs of a key and a text. The keys are device_runtime and device_driver. The text is the name
/// and version of the runtime or the driver. The text of the driver also has the version of NVIDIA's kernel
/// module. Returns an empty list on a host. Throws std::runtime_error if the device's library reports an
/// error.
std::vector<std::pair<std::string, std::string>> device_versions();

}  // namespace ddproxy
