// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "miniapp/collectives/drivers/bell.hpp"
#include "miniapp/collectives/drivers/call_queue.hpp"
#include "miniapp/errors/call_watch.hpp"

namespace ddproxy {

/// The queue of calls (CallQueue) that the compute side and the communication thread of a ThreadedLane share,
/// and what wakes each of them up. The communication thread waits for each call.
///
/// Problem: handing over a call must take little time compared with the call. If the communication thread has
/// a core of its own, it spins for a while between two calls. A compute side that waits spins, too. A call is
/// then handed over and back in less than a microsecond. If the two threads share a core, each yields the
/// core to the other for a while, and then sleeps.
///
/// Order of calls: the compute side calls begin(), then post() or post_group() for each call, then wait().
/// After that it may read finished(). The communication thread calls work(), which returns after quit().
class LaneWorker {
 public:
  /// Takes the engine. Starts a watchdog (CallWatch) if the engine may block without a time limit
  /// (unwatched_limit_s()). `own_core` tells whether the communication thread has a core that no compute
  /// thread uses. Error messages name `rank`.
  LaneWorker(std::unique_ptr<CollectiveEngine> engine, bool own_core, int rank);

  /// Forgets earlier calls and makes room for `calls` calls. All posted calls must be done.
  void begin(std::size_t calls) { queue_.begin(calls); }
  /// Posts one call, which is carried out when `ready` has completed. Throws std::logic_error if begin() made
  /// no room for the call.
  void post(CollectiveCall const& call, Completion ready) { post_group({&call, 1}, ready); }
  /// Posts sends and receives that are issued as one group when `ready` has completed. Throws as post() does.
  void post_group(std::span<const CollectiveCall> calls, Completion ready);
  /// Makes room for groups of `largest_group` calls. All posted calls must be done.
  void make_room(std::size_t largest_group) { queue_.make_room(largest_group); }
  std::size_t posted() const { return queue_.posted(); }  ///< number of calls posted since begin()
  /// Waits until the first `calls` calls since begin() are done. Throws the exception that the engine threw.
  /// Throws StuckCall (miniapp/errors/errors.hpp) if a call did not return within the time limit.
  void wait(std::size_t calls);
  /// Returns the completion of call `number` (from 0) since begin(). It is a flag, valid until the next
  /// begin().
  Completion completion_of(std::size_t number) const { return queue_.completion_of(number); }
  /// Returns the calls done since begin(). Read them only after wait().
  std::vector<FinishedCall> const& finished() const { return queue_.done(); }
  ElementsByVerb elements_handed_over() const { return queue_.engine().elements_handed_over(); }
  std::string description() const { return queue_.engine().description(); }

  /// Carries out the posted calls until quit(). The communication thread calls it. If a call fails, wait()
  /// throws the error.
  void work();
  /// Makes work() return after the call that it is carrying out. Posted calls that have not begun are not
  /// carried out.
  void quit();
  /// Returns whether the communication thread did not return from a call within the time limit.
  bool stuck() const { return stuck_; }

 private:
  bool take();
  void carry_out();
  void fail(std::exception_ptr failure);
  void call_is_overdue(char const* call, int rank);

  CallQueue queue_;
  Bell work_, done_bell_;
  static constexpr std::size_t nobody_waits = std::numeric_limits<std::size_t>::max();
  std::atomic<std::size_t> wanted_{nobody_waits};  // the number of calls that the compute side waits for
  std::atomic<bool> quit_{false}, failed_{false}, stuck_{false};
  std::mutex failure_mutex_;
  std::exception_ptr failure_;  // the first error; guarded by failure_mutex_
  std::string name_;            // name of the call in flight, for the watchdog
  std::optional<CallWatch> watch_;
};

}  // namespace ddproxy
