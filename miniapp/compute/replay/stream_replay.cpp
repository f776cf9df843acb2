// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/compute/replay/stream_replay.hpp"

namespace ddproxy {

StreamReplay::StreamReplay(std::vector<double> operation_seconds, double copy_seconds, std::size_t launches,
                           kernels::Space exec)
    : seconds_(std::move(operation_seconds)),
      copy_seconds_(copy_seconds),
      exec_(std::move(exec)),
      stream_(exec_),
      marks_(launches) {}

void StreamReplay::run(std::size_t operation) {
  stream_.hold(seconds_[operation]);
  marks_.move_on();
}

void StreamReplay::copy(Slice from, std::size_t) {
  stream_.hold(copy_seconds_ * static_cast<double>(from.count));
  marks_.move_on();
}

}  // namespace ddproxy
