// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "miniapp/errors/clock.hpp"

namespace ddproxy {

/// A point on a device's stream: over when the device has passed it.
class Event {
 public:
  virtual ~Event() = default;
  virtual bool over() const = 0;  ///< never waits
  /// When it was passed, on the host's clock; it is over, and was recorded after synchronise_clocks()
  /// (miniapp/device/device.hpp).
  virtual Clock::time_point moment() const = 0;
};

/// When everything that was asked for so far is complete.
struct Completion {
  Clock::time_point when{};      ///< host and replay: that moment, which may still be to come with replay
  Event const* event = nullptr;  ///< on a device: what tells; `when` says nothing then; not owned
};

/// Never waits.
bool is_over(Completion const& completion);

/// Waits until it is over and returns its moment.
Clock::time_point wait_until_over(Completion const& completion);

/// Its moment; an event is to be over.
Clock::time_point moment_of(Completion const& completion);

}  // namespace ddproxy
