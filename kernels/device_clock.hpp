// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <chrono>
#include <cstdint>

namespace ddproxy::kernels {

/// A clock that runs at one rate on the whole device, in nanoseconds, from an unknown zero. It steps by up to
/// a microsecond.
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
