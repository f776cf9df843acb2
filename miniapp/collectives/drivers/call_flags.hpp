// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

#include "miniapp/collectives/drivers/communication_lane.hpp"

namespace ddproxy {

/// Has a flag for each collective call of a communication lane. The driver of the lane sets the flag when the
/// call is done. Another lane can wait for a flag in the same way as for an event of a device.
///
/// Order of calls: begin(); then set(), each time that more calls of the lane are done; fail() if the lane
/// fails. A flag is valid until the next begin(). Any thread may test a flag.
class CallFlags {
 public:
  /// Takes the list of finished calls. The driver must append a call to `done` before it sets the call's
  /// flag. `done` must outlive this object.
  explicit CallFlags(std::vector<FinishedCall> const& done) : done_(done) {}
  CallFlags(CallFlags const&) = delete;
  CallFlags& operator=(CallFlags const&) = delete;

  /// Clears all flags and makes room for `calls` calls. After fail() the flags stay set. Call it while no
  /// thread waits for a flag.
  void begin(std::size_t calls) {
    set_ = 0;
    for (std::size_t number = flags_.size(); number < calls; ++number) flags_.emplace_back(*this, number);
  }
  /// Sets the flags of the first `calls` calls.
  void set(std::size_t calls) { set_.store(calls, std::memory_order_release); }
  /// Sets all flags because the lane has failed. Otherwise a thread that waits for a flag would wait for
  /// ever.
  void fail() { failed_ = true; }
  /// Returns the completion of call `number` (from 0). It points to the flag, which this object owns.
  Completion operator[](std::size_t number) const { return {{}, &flags_[number]}; }

 private:
  struct Flag : Event {
    Flag(CallFlags const& flags, std::size_t place) : owner(&flags), number(place) {}
    bool over() const override {
      return owner->set_.load(std::memory_order_acquire) > number || owner->failed_;
    }
    Clock::time_point moment() const override {
      return owner->set_ > number ? owner->done_[number].end : Clock::now();
    }
    CallFlags const* owner;
    std::size_t number;
  };

  std::vector<FinishedCall> const& done_;
  std::vector<Flag> flags_;
  std::atomic<std::size_t> set_{0};
  std::atomic<bool> failed_{false};
};

}  // namespace ddproxy
