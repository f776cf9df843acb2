// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "miniapp/errors/clock.hpp"

namespace ddproxy {

/// Something that completes at some moment: a point on a device's stream, a flag that a thread of the host
/// sets, or a set of other completions (AllOf). A point on a stream completes when the device has done all
/// work that was enqueued before it.
class Event {
 public:
  virtual ~Event() = default;
  /// Returns whether the event has completed. Does not wait.
  virtual bool over() const = 0;
  /// Returns the time at which the event completed, on the host's clock. Call this function only after over()
  /// has returned true. An event of a device must have been recorded after synchronise_clocks()
  /// (miniapp/device/device.hpp).
  virtual Clock::time_point moment() const = 0;
};

/// The completion of all work that was enqueued before this object was made. If a device does the work,
/// `event` is set. It is also set if the work is a collective whose lane sets a flag when the collective is
/// done. If the host computes or replays operators, `when` is set. `when` may lie in the future if the
/// operators are replayed.
struct Completion {
  Clock::time_point when{};      ///< time at which the work completes; undefined if there is an event
  Event const* event = nullptr;  ///< if set, completes when the work completes; not owned
};

/// Joins several completions into one event. The event completes when the last of them completes.
class AllOf : public Event {
 public:
  /// Reserves memory for `completions` completions. add() then allocates no memory.
  explicit AllOf(std::size_t completions) { parts_.reserve(completions); }
  void clear() { parts_.clear(); }
  void add(Completion const& completion) { parts_.push_back(completion); }
  std::span<const Completion> parts() const { return parts_; }
  bool over() const override;
  Clock::time_point moment() const override;

 private:
  std::vector<Completion> parts_;
};

/// Returns whether the work has completed. Does not wait.
bool is_over(Completion const& completion);

/// Waits until the work has completed, and returns the time at which it completed.
Clock::time_point wait_until_over(Completion const& completion);

/// Returns the time at which the work completed. If there is an event, is_over() must have returned true.
Clock::time_point moment_of(Completion const& completion);

}  // namespace ddproxy
