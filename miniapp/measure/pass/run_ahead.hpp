// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "miniapp/device/backoff.hpp"
#include "miniapp/device/completion.hpp"

namespace ddproxy {

/// Limits how far the host runs ahead of a device in one pass.
///
/// Problem: the driver's queue has room for about a thousand launches. If it is full, the thread that
/// enqueues one more waits inside the driver. Other threads, which copy and reduce gradients, may have to
/// wait with it. So the host sleeps before the queue is full. This expresses no dependency: while the host
/// sleeps, the device still has dozens of operations to do.
///
/// Order of calls: construct one object for a pass, then call asked() after each operation.
class RunAhead {
 public:
  static constexpr std::size_t most = 32;  ///< operations by which the host may be ahead

  /// `operations`: the number of operations of the pass.
  explicit RunAhead(std::size_t operations) : last_(std::min(most, operations)) {}

  /// Notes the completion of the operation that was enqueued last. Waits until the operation `most` before it
  /// has completed. Waits for events only, because a host that computes is never ahead.
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
