// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <span>
#include <stdexcept>
#include <string>

#include "miniapp/collectives/drivers/communication_lane.hpp"

namespace ddproxy {

/// Returns whether no compute thread needs the core of the calling thread now. The answer may change during
/// a wait.
using CoreIsFree = std::function<bool()>;

/// Carries out collectives with one library, for example MPI: one collective, or one group of sends and
/// receives, at a time.
///
/// Problem: several libraries can carry out a collective (MPI, copies through host memory, replay). While
/// compute runs, a thread or polling can let the collective make progress. Without this interface each
/// library would need its own thread and its own polling.
///
/// A driver owns the engine and calls it from one thread at a time: a communication thread (LaneWorker,
/// JointDriver) or the compute side (LaneWorker, PolledLane, JointDriver). The driver has the queue of
/// collective calls and the thread. An engine needs neither.
///
/// Order of calls for each collective or group: begin() or begin_group(); then either test() until it returns
/// true, or wait() once; then last(). After that the next collective or group may begin.
class CollectiveEngine {
 public:
  virtual ~CollectiveEngine() = default;
  /// Begins a collective. The previous one must be done. `ready` must have completed; it holds the time at
  /// which the data were ready. Throws std::invalid_argument as check_call() (collective_call.hpp) does.
  virtual void begin(CollectiveCall const& call, Completion ready) = 0;
  /// Begins sends and receives as one group, so that none waits for another. test() and wait() then refer to
  /// the whole group, and last() returns the times of the group together with its first collective. Throws
  /// std::invalid_argument as check_grouped() (collective_call.hpp) does, and if the engine does not support
  /// groups.
  virtual void begin_group(std::span<const PostedCall>, Completion) {
    throw std::invalid_argument(description() + " carries out no groups of sends and receives");
  }
  /// Makes room for groups of `largest_group` collective calls, so that begin_group() allocates nothing.
  virtual void make_room(std::size_t /*largest_group*/) {}
  /// Makes progress and returns whether the collective is done. Waits only if the library's function blocks.
  virtual bool test() = 0;
  /// Waits until the collective is done. Throws std::runtime_error if the collective takes longer than the
  /// time limit. The message contains `call`, the index (from 0) of the collective in the step. An engine
  /// that tests again and again sleeps between two tests unless `core_is_free` returns true.
  virtual void wait(std::size_t call, CoreIsFree const& core_is_free) = 0;
  /// Throws as wait() does if the collective in flight has exceeded the time limit. Does not wait.
  virtual void check_time(std::size_t /*call*/) const {}
  /// Returns the collective that ended last, with its times.
  virtual FinishedCall last() const = 0;
  /// Returns the number of elements that were handed to the library since construction, for
  /// CommunicationLane::elements_handed_over() (communication_lane.hpp). An engine counts them where it calls
  /// the library.
  virtual ElementsByVerb elements_handed_over() const = 0;
  /// Returns a text for users and results files, for example "mpi, host buffers, fp32".
  virtual std::string description() const = 0;
  /// Returns the time limit of a collective, in seconds, if a function of the library may block longer than
  /// that. Another thread must then watch the time (CallWatch). Returns 0 if the engine itself watches the
  /// time.
  virtual double unwatched_limit_s() const { return 0; }
};

}  // namespace ddproxy
