// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/busy.hpp"

#include <chrono>
#include <thread>

#include "kernels/device_clock.hpp"

namespace ddproxy::kernels {
namespace {

void spin(Space const& exec, std::int64_t nanoseconds) {
  Kokkos::parallel_for(
      "ddproxy::busy", Range(exec, 0, 1), KOKKOS_LAMBDA(Index) {
        const std::int64_t end = device_nanoseconds() + nanoseconds;
        while (device_nanoseconds() < end) continue;
      });
}

}  // namespace

void busy(Space const& exec, double seconds) {
  if constexpr (Kokkos::SpaceAccessibility<Kokkos::HostSpace, Memory>::accessible)
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  else if (seconds > 0)
    spin(exec, static_cast<std::int64_t>(seconds * 1e9));
}

}  // namespace ddproxy::kernels
