// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "miniapp/errors/clock.hpp"

namespace ddproxy {

/// Sleeps until `moment`, so that other threads can use the core. Wakes up as soon after `moment` as the
/// operating system allows. Returns at once if `moment` has passed.
void sleep_until(Clock::time_point moment);

/// Waits between two tests of whether work is done. Construct one object for each piece of work.
///
/// In the first 50 us after construction, a call yields the core. Later, a call sleeps for an eighth of the
/// time since construction, but at most for 100 us. While it sleeps, compute threads can use the core. If the
/// work makes progress without calls of this thread, the sleeps make the wait longer by at most an eighth.
/// MPI makes progress only within its functions. So with these sleeps a message can take up to 1.8 times as
/// long.
class Backoff {
 public:
  /// Waits once. If `core_is_free` is true, no compute thread needs the core now; the thread then yields the
  /// core and does not sleep.
  void operator()(bool core_is_free = false);

 private:
  Clock::time_point born_ = Clock::now();
};

}  // namespace ddproxy
