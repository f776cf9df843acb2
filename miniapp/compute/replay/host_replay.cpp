// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/compute/replay/host_replay.hpp"

#include <algorithm>

#include "miniapp/device/backoff.hpp"

namespace ddproxy {
namespace {

Clock::duration duration_of(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace

void HostReplay::hold(double seconds) {
  deadline_ += duration_of(seconds);
  sleep_until(deadline_);
}

void HostReplay::copy(Slice from, std::size_t) {
  deadline_ += duration_of(copy_seconds_ * static_cast<double>(from.count));
}

void HostReplay::wait_for(Completion const& completion) {
  deadline_ = std::max(deadline_, completion.when);
}

void HostReplay::fence() {
  sleep_until(deadline_);
}

}  // namespace ddproxy
