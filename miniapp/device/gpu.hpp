// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// CUDA's run-time library under names that HIP shares. The HIP half never ran.
#include <Kokkos_Core.hpp>
#ifdef KOKKOS_ENABLE_HIP
#include <hip/hip_runtime.h>
#define DDPROXY_GPU(name) hip##name
#else
#include <cuda_runtime.h>
#define DDPROXY_GPU(name) cuda##name
#endif

#include <source_location>

#include "kernels/types.hpp"
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

/// Throws std::runtime_error with the library's own text where `status` is an error.
void check(Status status, std::source_location where = std::source_location::current());

/// A stream of the run's device that waits for no other, with the highest or the normal priority.
class OwnStream {
 public:
  explicit OwnStream(bool high_priority = false);
  ~OwnStream();
  OwnStream(OwnStream const&) = delete;
  OwnStream& operator=(OwnStream const&) = delete;
  Stream get() const { return stream_; }

 private:
  Stream stream_ = nullptr;
};

/// An event that keeps its time. Events of one device are compared by it.
class TimedEvent : public Event {
 public:
  TimedEvent();
  ~TimedEvent() override;
  TimedEvent(TimedEvent const&) = delete;
  TimedEvent& operator=(TimedEvent const&) = delete;

  void record(Stream stream);
  /// What is asked of `stream` from now on waits for it.
  void hold_back(Stream stream) const;
  bool over() const override;
  Clock::time_point moment() const override;

 private:
  RawEvent event_ = nullptr;
};

/// An Event of this program's device builds; they are all of this kind.
inline TimedEvent const& timed(Event const& event) {
  return static_cast<TimedEvent const&>(event);
}

}  // namespace ddproxy::gpu
