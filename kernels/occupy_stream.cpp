// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/occupy_stream.hpp"

#include <chrono>
#include <thread>

#include "kernels/base/device_clock.hpp"

namespace ddproxy::kernels {
namespace {

using End = Kokkos::View<std::int64_t, Memory>;

// In a build for a host nothing calls the functions marked [[maybe_unused]], because only a device spins.
[[maybe_unused]] std::int64_t nanoseconds_of(double seconds) {
  return static_cast<std::int64_t>(seconds * 1e9);
}

void sleep(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

KOKKOS_INLINE_FUNCTION void spin_until(std::int64_t end) {
  while (device_nanoseconds() < end) continue;
}

[[maybe_unused]] void spin(Space const& exec, std::int64_t nanoseconds) {
  Kokkos::parallel_for(
      "occupy_stream", Range(exec, 0, 1),
      KOKKOS_LAMBDA(Index) { spin_until(device_nanoseconds() + nanoseconds); });
}

[[maybe_unused]] void spin_on(Space const& exec, std::int64_t nanoseconds, End const& end) {
  Kokkos::parallel_for(
      "occupy_stream", Range(exec, 0, 1), KOKKOS_LAMBDA(Index) {
        const std::int64_t mine = start_after(end(), device_nanoseconds()) + nanoseconds;
        end() = mine;
        spin_until(mine);
      });
}

}  // namespace

void occupy_stream(Space const& exec, double seconds) {
  if constexpr (!on_device)
    sleep(seconds);
  else if (seconds > 0)
    spin(exec, nanoseconds_of(seconds));
}

void OccupiedStream::hold(double seconds) const {
  if constexpr (!on_device)
    sleep(seconds);
  else if (seconds > 0)
    spin_on(exec_, nanoseconds_of(seconds), end_);
}

}  // namespace ddproxy::kernels
