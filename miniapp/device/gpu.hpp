// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Gives the functions of the run-time libraries of CUDA and HIP common names. The part for HIP has never been
// run.
#include <Kokkos_Core.hpp>
#ifdef KOKKOS_ENABLE_HIP
#include <hip/hip_runtime.h>
#define DDPROXY_GPU(name) hip##name
#else
#include <cuda_runtime.h>
#define DDPROXY_GPU(name) cuda##name
#endif

#include <source_location>

#include "kernels/base/types.hpp"
#include "miniapp/device/completion.hpp"

namespace ddproxy::gpu {

using Status = DDPROXY_GPU(Error_t);
using Stream = DDPROXY_GPU(Stream_t);
using RawEvent = DDPROXY_GPU(Event_t);
inline constexpr auto success = DDPROXY_GPU(Success);

#ifdef KOKKOS_ENABLE_HIP
using Properties = hipDeviceProp_t;
inline constexpr auto clock_rate = hipDeviceAttributeClockRate;
inline constexpr auto memory_clock_rate = hipDeviceAttributeMemoryClockRate;
inline constexpr char name[] = "HIP";
inline Stream stream_of(kernels::Space const& exec) {
  return exec.hip_stream();
}
#else
using Properties = cudaDeviceProp;
inline constexpr auto clock_rate = cudaDevAttrClockRate;
inline constexpr auto memory_clock_rate = cudaDevAttrMemoryClockRate;
inline constexpr char name[] = "CUDA";
inline Stream stream_of(kernels::Space const& exec) {
  return exec.cuda_stream();
}
#endif

/// Throws std::runtime_error with the library's error message if `status` is an error. In this case the
/// thread's last error is cleared (kernels/base/foreign_call.hpp). `where` is the place in the source that
/// the message names.
void check(Status status, std::source_location where = std::source_location::current());

/// Owns a stream of the run's device. The stream does not synchronize with the default stream.
class OwnStream {
 public:
  /// Creates a stream. Its priority is the highest that the device offers if `high_priority` is true, and
  /// otherwise the default of streams. Throws std::runtime_error if the library reports an error.
  explicit OwnStream(bool high_priority = false);
  ~OwnStream();
  OwnStream(OwnStream const&) = delete;
  OwnStream& operator=(OwnStream const&) = delete;
  Stream get() const { return stream_; }

 private:
  Stream stream_ = nullptr;
};

/// Owns a device event that records the time at which it completes. moment() converts this time to the host's
/// clock, with the offset that synchronise_clocks() (miniapp/device/device.hpp) has measured.
class TimedEvent : public Event {
 public:
  TimedEvent();
  ~TimedEvent() override;
  TimedEvent(TimedEvent const&) = delete;
  TimedEvent& operator=(TimedEvent const&) = delete;

  /// Records the event behind all work that is enqueued on `stream`. Throws std::runtime_error if this fails,
  /// or if an earlier launch of a kernel failed.
  void record(Stream stream);
  /// Makes all work that is enqueued on `stream` from now on wait for this event.
  void hold_back(Stream stream) const;
  bool over() const override;
  Clock::time_point moment() const override;

 private:
  RawEvent event_ = nullptr;
};

/// Returns the event as a TimedEvent. `event` must be a TimedEvent, and not a flag of the host or an AllOf.
inline TimedEvent const& timed(Event const& event) {
  return static_cast<TimedEvent const&>(event);
}

}  // namespace ddproxy::gpu
