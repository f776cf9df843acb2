// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/compute/stream_replay.hpp"

namespace ddproxy {

StreamReplay::StreamReplay(std::vector<double> operation_seconds, double back_seconds, kernels::Space exec)
    : seconds_(std::move(operation_seconds)),
      back_seconds_(back_seconds),
      exec_(std::move(exec)),
      stream_(exec_),
      marks_(seconds_.size()) {}

void StreamReplay::run(std::size_t operation) {
  stream_.hold(seconds_[operation]);
  marks_.move_on();
}

void StreamReplay::take_back(Slice slice, Completion reduced) {
  begin_after(exec_, reduced);
  stream_.hold(back_seconds_ * static_cast<double>(slice.count));
}

}  // namespace ddproxy
