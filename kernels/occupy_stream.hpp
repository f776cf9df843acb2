// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "kernels/types.hpp"

namespace ddproxy::kernels {

/// Occupies `exec`'s stream for `seconds` from when the device comes to it, with one block: the rest of the
/// device stays free; not at all where they are 0. Launching it takes some 4 us more. On a host the calling
/// thread sleeps.
void occupy_stream(Space const& exec, double seconds);

/// Operations that follow one another on one stream, each within 2 % and 5 us: an operation begins when the
/// one before was to end, so that launches and events between them do not add up.
class OccupiedStream {
 public:
  explicit OccupiedStream(Space exec) : exec_(std::move(exec)), end_("ddproxy::busy") {}
  /// One more operation; otherwise as occupy_stream().
  void hold(double seconds) const;

 private:
  Space exec_;
  Kokkos::View<std::int64_t, Memory> end_;  // when the last was to end
};

/// When an operation begins that the device comes to at `now` after another that was to end at `end`, in
/// nanoseconds: then, or now where the stream had waited for something else than the launch.
KOKKOS_INLINE_FUNCTION std::int64_t start_after(std::int64_t end, std::int64_t now) {
  constexpr std::int64_t launch = 10'000;  // more than it takes with an event between
  return now - end < launch ? end : now;
}

}  // namespace ddproxy::kernels
