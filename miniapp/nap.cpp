// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/nap.hpp"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <thread>

namespace ddproxy {
namespace {

using namespace std::chrono_literals;
constexpr auto young = 50us;
constexpr auto longest = 100us;

// struct sched_attr of sched_setattr(2), for which C libraries have no function before glibc 2.41.
struct SchedulerAttributes {
  std::uint32_t size = sizeof(SchedulerAttributes);
  std::uint32_t policy = SCHED_OTHER;
  std::uint64_t flags;
  std::int32_t nice;
  std::uint32_t priority;
  std::uint64_t runtime, deadline, period;
};

// Linux groups wake-ups within 50 us by default.
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

void ask_for_short_slices() {
  SchedulerAttributes attributes{};
  attributes.nice = getpriority(PRIO_PROCESS, 0);  // of this thread, unchanged
  attributes.runtime = 100'000;                    // ns, the shortest
  (void)syscall(SYS_sched_setattr, 0, &attributes, 0U);
}

void Nap::operator()() {
  const auto age = Clock::now() - born_;
  if (age < young) {
    sched_yield();
    return;
  }
  sharpen_timers();
  std::this_thread::sleep_for(std::min<Clock::duration>(age / 8, longest));
}

}  // namespace ddproxy
