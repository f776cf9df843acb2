// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "miniapp/collectives/drivers/call_flags.hpp"
#include "miniapp/collectives/drivers/collective_engine.hpp"

namespace ddproxy {

/// The queue of collective calls of one lane, and the engine that carries them out. The compute side posts
/// them. The driver carries them out one after another. The driver is a LaneWorker, a JointDriver or a
/// PolledLane; it may run on another thread.
///
/// Order of calls on the compute side: begin(), then post() for each call or group. A JointDriver polls: it
/// calls is_busy(), begin_next() and finish(). A LaneWorker waits: it calls is_busy(), next(), start_next(),
/// the engine's wait(), and note_done(). A PolledLane calls is_under_way(), next(), begin_next(), the
/// engine's test() or wait(), and note_done(). The two sides need no lock: one side writes an element before
/// an atomic counter counts it, and the other side reads only elements that are counted.
class CallQueue {
 public:
  /// Takes the engine that carries out the calls.
  explicit CallQueue(std::unique_ptr<CollectiveEngine> engine) : engine_(std::move(engine)), flags_(done_) {}

  // The methods of the compute side:

  /// Forgets earlier calls and makes room for `calls` calls. All posted calls must be done.
  void begin(std::size_t calls);
  /// Makes room for groups of `largest_group` calls. All posted calls must be done.
  void make_room(std::size_t largest_group) { engine_->make_room(largest_group); }
  /// Posts one call, or several calls that are issued as one group. They begin when `ready` has completed.
  /// Throws std::logic_error if begin() made no room for them.
  void post(std::span<const CollectiveCall> calls, Completion ready);
  std::size_t posted() const { return posted_ - first_; }      ///< number of calls posted since begin()
  std::size_t finished() const { return finished_ - first_; }  ///< number of calls done since begin()
  /// Returns the calls done since begin(). Read only the first finished() ones.
  std::vector<FinishedCall> const& done() const { return done_; }
  /// Returns the completion of call `number` (from 0) since begin(). It is a flag, valid until the next
  /// begin().
  Completion completion_of(std::size_t number) const { return flags_[number]; }
  CollectiveEngine& engine() { return *engine_; }
  CollectiveEngine const& engine() const { return *engine_; }

  // The methods of the driver:

  /// Returns whether a posted call is not done yet.
  bool is_busy() const { return posted_ != finished_; }
  /// Returns whether a call is in flight.
  bool is_under_way() const { return under_way_; }
  /// Returns the call that is in flight or comes next. The queue must be busy.
  PostedCall const& next() const { return calls_[done_.size()]; }
  /// Begins the next call or group. `ready` must have completed; it holds the time at which the data were
  /// ready. Throws the exception of the engine.
  void start_next(Completion ready);
  /// Notes that the engine is done with the call or group that next() returns. Returns the number of calls
  /// done since begin().
  std::size_t note_done();
  /// Sets all flags because the lane has failed (CallFlags::fail()).
  void fail() { flags_.fail(); }
  /// Begins the next call if none is in flight and its data are ready. Returns whether it did. Throws the
  /// exception of the engine.
  bool begin_next();
  /// Finishes the call in flight if it is done. Returns whether it did. Throws the exception of the engine,
  /// which is std::runtime_error if the call in flight takes longer than the time limit.
  bool finish();

 private:
  const std::unique_ptr<CollectiveEngine> engine_;
  std::vector<PostedCall> calls_;   // the compute side writes a call before posted_ counts it
  std::vector<FinishedCall> done_;  // the driver writes a call before finished_ counts it
  CallFlags flags_;
  std::size_t first_ = 0;  // the value of posted_ and finished_ at begin()
  std::atomic<std::size_t> posted_{0}, finished_{0};
  bool under_way_ = false;  // a call is in flight
};

}  // namespace ddproxy
