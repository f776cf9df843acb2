// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "miniapp/errors/clock.hpp"

namespace ddproxy {

/// A point on a device's stream. It completes when the device has done all work enqueued before it.
class Event {
 public:
  virtual ~Event() = default;
  /// Returns whether the event has completed. Does not wait.
  virtual bool over() const = 0;
  /// Returns when the event completed, on the host's clock. Call it only after over() has returned true, and
  /// for an event that was recorded after synchronise_clocks() (miniapp/device/device.hpp).
  virtual Clock::time_point moment() const = 0;
};

/// The completion of all work that was enqueued so far. It is an event on a device, and a time on a host and
/// in replay. In replay the time may lie in the future.
struct Completion {
  Clock::time_point when{};      ///< when the work completes; undefined if there is an event
  Event const* event = nullptr;  ///< on a device: completes with the work; not owned
};

/// Returns whether the work has completed. Does not wait.
bool is_over(Completion const& completion);

/// Waits until the work has completed, and returns when it did.
Clock::time_point wait_until_over(Completion const& completion);

/// Returns when the work completed. An event must have completed; see Event::moment().
Clock::time_point moment_of(Completion const& completion);

}  // namespace ddproxy
