// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "miniapp/errors/clock.hpp"

namespace ddproxy {

/// Sleeps until `moment`, without using the core meanwhile. Wakes up as soon after it as the operating system
/// allows. Returns at once if `moment` has passed.
void sleep_until(Clock::time_point moment);

/// Waits between two tests of work in flight. For the first 50 us a call yields the core. Later a call sleeps
/// for an eighth of the time since construction, at most 100 us. So waiting leaves the core to compute, and
/// it adds at most an eighth to the time of the work. Construct one object for each wait.
class Backoff {
 public:
  void operator()();

 private:
  Clock::time_point born_ = Clock::now();
};

}  // namespace ddproxy
