// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "miniapp/collectives/drivers/collective_call.hpp"

namespace ddproxy {

/// A collective to be carried out.
struct PostedCall {
  CollectiveCall call;
  Completion ready;       ///< of what it reads
  std::size_t group = 1;  ///< it and those behind it that are issued with it as one group
};

/// A collective as it was carried out on this rank.
struct FinishedCall {
  CollectiveCall call;
  Clock::time_point start;
  Clock::time_point end;    ///< averaged and in its place
  Clock::time_point ready;  ///< as the pipeline declared it, whenever the collective came to start
};

/// Carries out collectives of one communicator on a memory, one after another in the order of start(). Each
/// rank of the group starts the same collectives in the same order.
class CommunicationLane {
 public:
  virtual ~CommunicationLane() = default;
  /// Forgets earlier calls and makes room for `calls`, so that nothing is allocated while time runs.
  virtual void begin(std::size_t calls) = 0;
  /// Posts one collective, to be carried out when `ready` has completed. Returns at once.
  virtual void start(CollectiveCall const& call, Completion ready) = 0;
  /// Posts sends and receives that are issued as one group: all of them begin when `ready` has completed,
  /// none waits for another, and all count as done when the last one is. Each counts as a call. Returns at
  /// once.
  virtual void start_group(std::span<const CollectiveCall> calls, Completion ready) {
    if (calls.size() != 1) throw std::logic_error(description() + " carries out no groups");
    start(calls.front(), ready);
  }
  /// Makes room for groups of so many calls. For the time before a step: it may allocate.
  virtual void make_room(std::size_t /*largest_group*/) {}
  /// Posts an all-reduce: the average over all ranks, in place.
  void start_all_reduce(Slice slice, Completion ready) { start(all_reduce(slice), ready); }
  /// The compute side offers a moment between two operations.
  virtual void progress() {}
  /// Waits until every collective that was started is done. Throws what went wrong: std::runtime_error naming
  /// rank, verb, number (from 0) and elements; std::invalid_argument as check_call().
  virtual void wait_all() = 0;
  /// Waits until collective `call` (from 0) is done and returns its completion time. On a device's stream,
  /// returns at once with the event that will record it. Errors as wait_all().
  virtual Completion wait_for(std::size_t call) = 0;
  /// Returns at once what tells when collective `call` (from 0) is done: an event or a flag, which holds
  /// until the next begin(); a lane that cannot tell waits, as wait_for() does.
  virtual Completion completion_of(std::size_t call) { return wait_for(call); }
  /// The collectives done since begin(); valid after wait_all() until the next begin().
  virtual std::vector<FinishedCall> const& finished() const = 0;
  /// Elements that were handed to the library that communicates, since construction, each as often as it was:
  /// an average that is averaged again is the same average, so only counting tells. Between wait_all() and
  /// start().
  virtual ElementsByVerb elements_handed_over() const = 0;
  /// For people and results, for instance "mpi, host buffers, thread".
  virtual std::string description() const = 0;
};

}  // namespace ddproxy
