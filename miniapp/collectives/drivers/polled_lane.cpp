// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/collectives/drivers/polled_lane.hpp"

namespace ddproxy {

void PolledLane::start_group(std::span<const CollectiveCall> calls, Completion ready) {
  queue_.post(calls, ready);
  queue_.begin_next();
}

void PolledLane::progress() {
  if (!poll_) return;
  if (queue_.is_under_way() && queue_.engine().test()) queue_.note_done();
  queue_.begin_next();
}

void PolledLane::wait_all() {
  if (queue_.posted() > 0) wait_for(queue_.posted() - 1);
}

Completion PolledLane::wait_for(std::size_t number) {
  while (queue_.finished() <= number) {
    if (!queue_.is_under_way()) wait_until_over(queue_.next().ready);
    queue_.begin_next();
    // This thread is the compute thread. Its core is free, because it waits.
    queue_.engine().wait(queue_.finished(), [] { return true; });
    queue_.note_done();
  }
  return {queue_.done()[number].end};
}

}  // namespace ddproxy
