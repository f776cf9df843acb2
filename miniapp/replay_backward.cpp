// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/replay_backward.hpp"

#include "miniapp/nap.hpp"

namespace ddproxy {

void ReplayBackward::run(std::size_t operation) {
  deadline_ +=
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds_[operation]));
  sleep_until(deadline_);
}

void ReplayBackward::fence() {
  sleep_until(deadline_);
}

}  // namespace ddproxy
