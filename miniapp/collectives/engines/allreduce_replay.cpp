// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/collectives/engines/allreduce_replay.hpp"

#include <algorithm>

#include "miniapp/device/backoff.hpp"

namespace ddproxy {

void ReplayEngine::begin(Slice slice, Completion ready) {
  const std::chrono::duration<double> takes(cost_(static_cast<std::int64_t>(slice.count * sizeof(float))));
  const auto start = std::max(ready.when, bucket_.end);
  bucket_ = {slice, start, start + std::chrono::duration_cast<Clock::duration>(takes), ready.when};
  elements_reduced_ += static_cast<std::int64_t>(slice.count);
}

void ReplayEngine::wait(std::size_t) {
  sleep_until(bucket_.end);
}

}  // namespace ddproxy
