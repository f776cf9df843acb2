// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/completion.hpp"

#include <sched.h>

#include "miniapp/nap.hpp"

namespace ddproxy {

bool is_over(Completion const& completion) {
  return completion.event ? completion.event->over() : completion.when <= Clock::now();
}

Clock::time_point wait_until_over(Completion const& completion) {
  if (!completion.event) sleep_until(completion.when);
  // where a device computes, the host has a core to spare, and a nap would be part of the time measured
  while (completion.event && !completion.event->over()) sched_yield();
  return moment_of(completion);
}

Clock::time_point moment_of(Completion const& completion) {
  return completion.event ? completion.event->moment() : completion.when;
}

}  // namespace ddproxy
