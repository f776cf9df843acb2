// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "miniapp/errors/clock.hpp"

namespace ddproxy {

/// A point on a device's stream, or a flag that the host sets. A point completes when the device has done all
/// work enqueued before it.
class Event {
 public:
  virtual ~Event() = default;
  /// Returns whether the event has completed. Does not wait.
  virtual bool over() const = 0;
  /// Returns when the event completed, on the host's clock. Call it only after over() has returned true. An
  /// event of a device must have been recorded after synchronise_clocks() (miniapp/device/device.hpp).
  virtual Clock::time_point moment() const = 0;
};

/// The completion of all work that was enqueued before this object was made. If a device or another lane does
/// the work, `event` is set. If the host does the work, or in replay, `when` is set. In replay the time may
/// lie in the future.
struct Completion {
  Clock::time_point when{};      ///< when the work completes; undefined if there is an event
  Event const* event = nullptr;  ///< if set, completes with the work; not owned
};

/// Several completions as one. It is over when each of them is, at the moment of the last.
class AllOf : public Event {
 public:
  /// Makes room for so many completions.
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

/// Waits until the work has completed, and returns when it did.
Clock::time_point wait_until_over(Completion const& completion);

/// Returns when the work completed. An event must have completed; see Event::moment().
Clock::time_point moment_of(Completion const& completion);

}  // namespace ddproxy
