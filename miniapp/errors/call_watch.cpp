// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/errors/call_watch.hpp"

#include <algorithm>

namespace ddproxy {

CallWatch::CallWatch(double timeout_s, std::function<void(char const*)> overdue)
    : timeout_(std::chrono::duration_cast<Clock::duration>(
          std::chrono::duration<double>(std::min(timeout_s, 1e9)))),
      overdue_(std::move(overdue)),
      thread_([this] { look(); }) {}

CallWatch::~CallWatch() {
  {
    const std::lock_guard lock(mutex_);
    quit_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void CallWatch::note(char const* what) {
  const std::lock_guard lock(mutex_);
  what_ = what;
  since_ = Clock::now();
}

void CallWatch::look() {
  const auto period =
      std::clamp<Clock::duration>(timeout_ / 8, std::chrono::milliseconds(1), std::chrono::seconds(1));
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, period, [this] { return quit_; }))
    if (what_ && Clock::now() - since_ > timeout_) return overdue_(what_);
}

}  // namespace ddproxy
