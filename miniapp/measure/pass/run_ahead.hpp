// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "miniapp/device/backoff.hpp"
#include "miniapp/device/completion.hpp"

namespace ddproxy {

/// Keeps a host from asking a device for more operations than the driver's queue has room for (about a
/// thousand launches): whoever asks for one more then waits inside the driver, and other threads, which copy
/// and reduce gradients, may have to wait with it. No dependency is expressed by it: the device has dozens of
/// operations to do while the host sleeps. For one pass.
class RunAhead {
 public:
  static constexpr std::size_t most = 32;

  explicit RunAhead(std::size_t operations) : last_(std::min(most, operations)) {}

  /// One more operation was asked for; returns when the one `most` before it is over. Only events are waited
  /// for: a host that computes is never ahead.
  void asked(Completion const& operation) {
    if (last_.empty()) return;
    Completion& oldest = last_[next_];
    while (oldest.event && !oldest.event->over()) sleep_until(Clock::now() + std::chrono::microseconds(10));
    oldest = operation;
    next_ = (next_ + 1) % last_.size();
  }

 private:
  std::vector<Completion> last_;
  std::size_t next_ = 0;
};

}  // namespace ddproxy
