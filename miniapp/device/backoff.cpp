// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/device/backoff.hpp"

#include <sched.h>
#include <sys/prctl.h>

#include <algorithm>
#include <thread>

namespace ddproxy {
namespace {

using namespace std::chrono_literals;
constexpr auto young = 50us;     // age of a Backoff up to which a call only yields the core
constexpr auto longest = 100us;  // longest sleep of a call

// Sets the timer slack of the calling thread to 1 us. By default Linux may delay a wake-up by 50 us.
void sharpen_timers() {
  thread_local const int done = prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL);
  (void)done;
}

}  // namespace

void sleep_until(Clock::time_point moment) {
  if (Clock::now() >= moment) return;
  sharpen_timers();
  std::this_thread::sleep_until(moment);
}

void Backoff::operator()(bool core_is_free) {
  const auto age = Clock::now() - born_;
  if (core_is_free || age < young) {
    sched_yield();
    return;
  }
  sharpen_timers();
  std::this_thread::sleep_for(std::min<Clock::duration>(age / 8, longest));
}

}  // namespace ddproxy
