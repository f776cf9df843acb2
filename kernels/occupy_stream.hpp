// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "kernels/base/types.hpp"

namespace ddproxy::kernels {

/// Occupies the stream of `exec` for `seconds`, counted from the moment when the device starts the kernel.
/// The kernel has one block, so the rest of the device stays free. The launch adds about 4 us. With 0 seconds
/// nothing is launched. On a host the calling thread sleeps for `seconds`.
void occupy_stream(Space const& exec, double seconds);

/// Occupies one stream with operations that follow one another. The duration of an operation has an error of
/// at most 2 % plus 5 us. An operation begins at the time when the previous one was due to end, so the times
/// of launches and of events between operations do not accumulate.
class OccupiedStream {
 public:
  explicit OccupiedStream(Space exec) : exec_(std::move(exec)), end_("occupy_stream") {}
  /// Enqueues one more operation of `seconds`. On a host, and for 0 seconds, it does what occupy_stream()
  /// does.
  void hold(double seconds) const;

 private:
  Space exec_;
  Kokkos::View<std::int64_t, Memory> end_;  // device_nanoseconds() when the last operation was due to end
};

/// Returns the time at which an operation begins, in nanoseconds. The device starts its kernel at `now`; the
/// previous operation was due to end at `end`. If less than 10 us lie between the two, the gap is only the
/// time of the launch, and the operation begins at `end`. Otherwise the stream waited for something else, and
/// the operation begins at `now`.
KOKKOS_INLINE_FUNCTION std::int64_t start_after(std::int64_t end, std::int64_t now) {
  constexpr std::int64_t launch = 10'000;  // a launch that follows an event takes less time
  return now - end < launch ? end : now;
}

}  // namespace ddproxy::kernels
