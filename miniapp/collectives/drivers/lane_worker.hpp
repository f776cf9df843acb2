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

/// On which core a communication thread runs, and whether other lanes of the rank have threads.
enum class ThreadPlace {
  own_core,        ///< it has a core that no compute thread uses
  shared_core,     ///< it shares a core with a compute thread
  beside_threads,  ///< it shares a core, and other lanes of the rank have threads, too
};

/// The queue of collective calls (CallQueue) that the compute side and the communication thread of a
/// ThreadedLane share. Each of them can wait for the other and wake up the other (Bell). A thread that
/// carries out a call waits until the call is done.
///
/// Problem: handing over a call must take little time compared with the call. If the communication thread has
/// a core of its own, post() hands the call over. Both threads spin for a while when they wait, so this takes
/// less than a microsecond. If the two threads share a core, two thread switches are needed to hand over a
/// call and to learn that it is done. They take about 3 us. So post() hands nothing over. progress() hands
/// the posted calls over, before the compute side computes. If the compute side waits instead, wait() itself
/// carries out the calls that have not begun, unless the communication thread is in a call. A thread that
/// waits for the other one yields the core for a while, and then sleeps.
///
/// If other lanes have threads of their own, a call must begin even if the compute side calls neither
/// progress() nor wait() of its lane. Otherwise two ranks can wait for each other forever. For example, the
/// compute side of rank 0 waits for lane A, and the compute side of rank 1 waits for lane B. Each of them
/// needs a call that has not begun on the other rank. So with ThreadPlace::beside_threads, post() hands each
/// call over, and wait() only waits.
///
/// Order of calls: the compute side calls begin(), then post() or post_group() for each call, progress()
/// before it computes, then wait(). After that it may read finished(). The communication thread calls work(),
/// which returns after quit().
class LaneWorker {
 public:
  /// Takes the engine. Starts a watchdog (CallWatch) if the engine may block without a time limit
  /// (unwatched_limit_s()). Error messages name `rank`.
  LaneWorker(std::unique_ptr<CollectiveEngine> engine, ThreadPlace place, int rank);

  /// Forgets earlier calls and makes room for `calls` calls. All posted calls must be done.
  void begin(std::size_t calls) { queue_.begin(calls); }
  /// Posts one call, which is carried out when `ready` has completed. Throws std::logic_error if begin() made
  /// no room for the call.
  void post(CollectiveCall const& call, Completion ready) { post_group({&call, 1}, ready); }
  /// Posts sends and receives that are issued as one group when `ready` has completed. Throws as post() does.
  void post_group(std::span<const CollectiveCall> calls, Completion ready);
  /// Hands the posted calls over to the communication thread if post() did not.
  void progress();
  /// Makes room for groups of `largest_group` calls. All posted calls must be done.
  void make_room(std::size_t largest_group) { queue_.make_room(largest_group); }
  std::size_t posted() const { return queue_.posted(); }  ///< number of calls posted since begin()
  /// Waits until the first `calls` calls since begin() are done. Throws the exception that the engine threw.
  /// Throws StuckCall (miniapp/errors/errors.hpp) if a call did not return within the time limit. If the
  /// calling thread itself is stuck in the call, the watchdog calls end_stuck_main_thread()
  /// (miniapp/errors/stuck_call.hpp).
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
  /// Returns whether a call did not return within the time limit.
  bool stuck() const { return stuck_; }

 private:
  bool has_work() const { return queue_.is_busy() && !failed_; }
  bool take();
  bool carry_out_here(std::size_t calls);
  std::size_t carry_out_next(bool adopts_device = false);
  void carry_out();
  bool core_is_free() const;
  void fail(std::exception_ptr failure);
  void call_is_overdue(int rank);

  CallQueue queue_;
  const ThreadPlace place_;
  const CoreIsFree core_is_free_;  // calls core_is_free()
  Bell work_, done_bell_;
  static constexpr std::size_t nobody_waits = std::numeric_limits<std::size_t>::max();
  std::atomic<std::size_t> wanted_{nobody_waits};  // the number of calls that the compute side waits for
  std::atomic<bool> quit_{false}, failed_{false}, stuck_{false};
  // true: a thread has claimed the queue. It alone may call the methods of the driver and of the engine.
  std::atomic<bool> driven_{false};
  bool driven_here_ = false;  // the compute side drives the queue; guarded by the claim
  std::mutex failure_mutex_;
  std::exception_ptr failure_;  // the first error; guarded by failure_mutex_
  std::optional<CallWatch> watch_;
};

}  // namespace ddproxy
