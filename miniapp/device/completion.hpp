// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "miniapp/errors/clock.hpp"

namespace ddproxy {

/// A point on a device's stream, over when the device has passed it, or a flag that the host sets.
class Event {
 public:
  virtual ~Event() = default;
  virtual bool over() const = 0;  ///< never waits
  /// When it was passed, on the host's clock; it is over, and one of a device was recorded after
  /// synchronise_clocks() (miniapp/device/device.hpp).
  virtual Clock::time_point moment() const = 0;
};

/// When everything that was asked for so far is complete.
struct Completion {
  Clock::time_point when{};      ///< host and replay: that moment, which may still be to come with replay
  Event const* event = nullptr;  ///< where set: what tells; `when` says nothing then; not owned
};

/// Several completions as one: over when each of them is, at the moment of the last.
class AllOf : public Event {
 public:
  /// Makes room for so many.
  explicit AllOf(std::size_t completions) { parts_.reserve(completions); }
  void clear() { parts_.clear(); }
  void add(Completion const& completion) { parts_.push_back(completion); }
  std::span<const Completion> parts() const { return parts_; }
  bool over() const override;
  Clock::time_point moment() const override;

 private:
  std::vector<Completion> parts_;
};

/// Never waits.
bool is_over(Completion const& completion);

/// Waits until it is over and returns its moment.
Clock::time_point wait_until_over(Completion const& completion);

/// Its moment; an event is to be over.
Clock::time_point moment_of(Completion const& completion);

}  // namespace ddproxy
