// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "miniapp/errors/clock.hpp"

namespace ddproxy {

/// Sleeps until `moment`, so that other threads can use the core. Wakes up as soon after `moment` as the
/// operating system allows. Returns at once if `moment` has passed.
void sleep_until(Clock::time_point moment);

/// Waits between two tests of work in flight. In the first 50 us after construction, a call yields the core.
/// Later, a call sleeps for an eighth of the time since construction, but at most for 100 us. So compute
/// threads can use the core, and waiting adds at most an eighth to the time of the work. Construct one object
/// for each wait.
class Backoff {
 public:
  void operator()();

 private:
  Clock::time_point born_ = Clock::now();
};

}  // namespace ddproxy
