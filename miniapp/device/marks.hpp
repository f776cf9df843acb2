// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/base/types.hpp"
#include "miniapp/device/completion.hpp"
#include "miniapp/device/device.hpp"

// Completions of work on execution-space instances of Kokkos, and work that waits for completions.
namespace ddproxy {

static_assert(on_device == kernels::on_device, "CMake and Kokkos disagree on whether a device computes");

/// Makes Completion objects (miniapp/device/completion.hpp) for the work that was enqueued so far on an
/// execution-space instance. On a device, after() records an event. Creating an event takes long, so the
/// constructor creates all events, and after() uses them in turn. On a host, after() waits until the instance
/// has done its work.
///
/// Order of calls: enqueue an operation, then call move_on(). Call after() whenever a completion is needed.
class Marks {
 public:
  /// Creates the events for steps of `operations` operations. An event that after() returns stays valid until
  /// `operations` more operations have been enqueued.
  explicit Marks(std::size_t operations);
  ~Marks();
  Marks(Marks const&) = delete;
  Marks& operator=(Marks const&) = delete;

  /// Notes that more work was enqueued on the instance, so that the next after() makes a new completion.
  void move_on() { current_.reset(); }

  /// Returns the completion of all work that was enqueued on `exec`. The first call after a move_on() records
  /// an event, or waits for `exec` on a host. Later calls return the same completion until the next
  /// move_on().
  Completion after(kernels::Space const& exec) {
    if (!current_) current_ = record(exec);
    return *current_;
  }

 private:
  Completion record(kernels::Space const& exec);

  std::vector<std::unique_ptr<Event>> events_;
  [[maybe_unused]] std::size_t next_ = 0;  // index of the next event; unused on a host
  std::optional<Completion> current_;
};

/// Makes all work that is enqueued on `exec` from now on wait for `completion`. On a device, if the
/// completion has an event, the stream waits and this function returns at once; the event must be a
/// TimedEvent (miniapp/device/gpu.hpp). Otherwise this function waits.
void begin_after(kernels::Space const& exec, Completion const& completion);

}  // namespace ddproxy
