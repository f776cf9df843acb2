// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

#include "miniapp/collectives/drivers/communication_lane.hpp"

namespace ddproxy {

/// A flag for each call of a lane, which whoever drives the lane sets when the call is done: another lane
/// waits for it as for an event. A flag holds until the next begin().
class CallFlags {
 public:
  /// `done` has a call before its flag is set, and outlives the object.
  explicit CallFlags(std::vector<FinishedCall> const& done) : done_(done) {}
  CallFlags(CallFlags const&) = delete;
  CallFlags& operator=(CallFlags const&) = delete;

  /// Takes all flags back and makes room for `calls`. Nobody waits for one.
  void begin(std::size_t calls) {
    set_ = 0;
    for (std::size_t number = flags_.size(); number < calls; ++number) flags_.emplace_back(*this, number);
  }
  /// Sets the flags of the first `calls`.
  void set(std::size_t calls) { set_.store(calls, std::memory_order_release); }
  /// Sets all of them, because the lane has failed: nobody is to wait for ever.
  void fail() { failed_ = true; }
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
