// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>

namespace ddproxy {

/// The clock of all times that are measured on the host.
using Clock = std::chrono::steady_clock;

/// Returns `to` - `from` in seconds. The result is negative if `to` is earlier.
inline double seconds_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

/// Returns the seconds from `start` until now.
inline double seconds_since(Clock::time_point start) {
  return seconds_between(start, Clock::now());
}

}  // namespace ddproxy
