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
/// Problem: the queue of the device's driver has room for about a thousand launches. If it is full, a thread
/// that enqueues one more launch waits inside the driver. Other threads, which copy and reduce gradients, may
/// then have to wait inside the driver, too. So the host sleeps before the queue is full. The device does not
/// run out of work meanwhile: it still has dozens of operations to do.
///
/// Order of calls: construct one object for a pass, then call asked() after each operation.
class RunAhead {
 public:
  static constexpr std::size_t most = 32;  ///< largest number of operations by which the host may be ahead

  /// Makes room for the completions. `operations` is the number of operations of the pass.
  explicit RunAhead(std::size_t operations) : last_(std::min(most, operations)) {}

  /// Takes the completion of the operation that was enqueued last. Waits until the operation that was
  /// enqueued `most` operations earlier has completed. Does not wait if that completion has no event: the
  /// host itself carried out the operation, so it is not ahead.
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
