// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <chrono>
#include <cstdint>

namespace ddproxy::kernels {

/// Returns the time of a clock that is common to the whole device, in nanoseconds from an unknown zero. The
/// clock advances in steps of up to a microsecond. On a host it is std::chrono::steady_clock.
KOKKOS_INLINE_FUNCTION std::int64_t device_nanoseconds() {
#if defined(__CUDA_ARCH__)
  std::uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return static_cast<std::int64_t>(now);
#elif defined(__HIP_DEVICE_COMPILE__)
  return static_cast<std::int64_t>(wall_clock64()) * 10;  // 100 MHz
#else
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
#endif
}

}  // namespace ddproxy::kernels
