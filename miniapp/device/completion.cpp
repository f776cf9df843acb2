// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/device/completion.hpp"

#include <algorithm>

#include "miniapp/device/backoff.hpp"

namespace ddproxy {

bool AllOf::over() const {
  return std::ranges::all_of(parts_, is_over);
}

Clock::time_point AllOf::moment() const {
  Clock::time_point last{};
  for (auto const& each : parts_) last = std::max(last, moment_of(each));
  return last;
}

bool is_over(Completion const& completion) {
  return completion.event ? completion.event->over() : completion.when <= Clock::now();
}

Clock::time_point wait_until_over(Completion const& completion) {
  if (!completion.event) sleep_until(completion.when);
  // Sleeps between two queries. A query takes a lock in the driver, and the thread that launches kernels
  // needs the same lock.
  while (completion.event && !completion.event->over())
    sleep_until(Clock::now() + std::chrono::microseconds(10));
  return moment_of(completion);
}

Clock::time_point moment_of(Completion const& completion) {
  return completion.event ? completion.event->moment() : completion.when;
}

}  // namespace ddproxy
