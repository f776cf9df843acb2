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

/// A collective that waits to be carried out.
struct PostedCall {
  CollectiveCall call;
  Completion ready;       ///< completes when the elements that the collective reads are ready
  std::size_t group = 1;  ///< number of calls from this one to the last one of its group, both included
};

/// A collective as it was carried out on this rank.
struct FinishedCall {
  CollectiveCall call;
  Clock::time_point start;
  Clock::time_point end;    ///< when the result was complete and in its place
  Clock::time_point ready;  ///< when the elements that the collective reads were ready, before or at `start`
};

/// Carries out the collectives of one communicator. The slices of all these collectives lie in one array. The
/// collectives are carried out one after another, in the order in which start() and start_group() post them.
///
/// Problem: communication must make progress while compute runs. MPI needs a thread or polling for that, and
/// NCCL needs a stream. This interface is the same for all of them. ThreadedLane, PolledLane and the lanes of
/// make_joint_lanes() drive a CollectiveEngine; the lane of make_nccl_allreduce() uses a stream.
///
/// Order of calls for each step: begin(); then start() or start_group() for each collective; then wait_all().
/// progress(), wait_for() and completion_of() may be called between begin() and wait_all(). Call progress()
/// before each compute task: on some lanes a posted collective begins only then, or when the compute side
/// waits. After wait_all(), finished() and elements_handed_over() may be read. Call make_room() before
/// begin(), outside of any timed region.
///
/// All ranks of the communicator must start the same collectives in the same order. One thread, the compute
/// side, calls all methods.
class CommunicationLane {
 public:
  virtual ~CommunicationLane() = default;
  /// Forgets earlier collective calls and makes room for `calls` of them, so that nothing is allocated while
  /// a step is timed.
  virtual void begin(std::size_t calls) = 0;
  /// Posts one collective, which is carried out when `ready` has completed. Returns without waiting for the
  /// collective. An event in `ready` must stay valid until finished() has been read. begin() must have made
  /// room for it. On some lanes start(), start_group() and progress() also throw the error of a collective,
  /// as wait_all() does.
  virtual void start(CollectiveCall const& call, Completion ready) = 0;
  /// Posts sends and receives that are issued as one group. All of them begin when `ready` has completed, and
  /// none waits for another. All of them count as done when the last one is done. begin() and the indices of
  /// collectives count each send or receive as one. Returns without waiting for them. Throws std::logic_error
  /// if the lane does not support groups.
  virtual void start_group(std::span<const CollectiveCall> calls, Completion ready) {
    if (calls.size() != 1) throw std::logic_error(description() + " carries out no groups");
    start(calls.front(), ready);
  }
  /// Makes room for groups of `largest_group` collective calls. It may allocate, so call it before a step.
  virtual void make_room(std::size_t /*largest_group*/) {}
  /// Posts an all-reduce that replaces the slice by its average over all ranks.
  void start_all_reduce(Slice slice, Completion ready) { start(all_reduce(slice), ready); }
  /// Lets the posted collectives begin and make progress while the compute side computes. The compute side
  /// calls it before each compute task. Does nothing on a lane whose collectives make progress without it.
  virtual void progress() {}
  /// Waits until every collective that was started is done. Throws the error of a collective: a
  /// std::runtime_error that names the rank, the verb, the index (from 0) and the elements, or the
  /// std::invalid_argument of check_call() (collective_call.hpp).
  virtual void wait_all() = 0;
  /// Waits until collective `call` (from 0) is done and returns its completion time. If the collective runs
  /// on a stream of the device, does not wait, and returns the event that will record this time. Throws as
  /// wait_all() does.
  virtual Completion wait_for(std::size_t call) = 0;
  /// Returns the completion of collective `call` (from 0), an event or a flag that is valid until the next
  /// begin(). Does not wait for the collective. A lane without events and flags waits instead, as wait_for()
  /// does.
  virtual Completion completion_of(std::size_t call) { return wait_for(call); }
  /// Returns the collectives done since begin(). Valid after wait_all() until the next begin().
  virtual std::vector<FinishedCall> const& finished() const = 0;
  /// Returns the number of elements that were handed to the library since construction. An element that was
  /// handed over twice counts twice. Verification needs this count to find a gradient that is reduced twice:
  /// the average of an average is the same number, so the values do not show the second reduction. Call it
  /// after wait_all() and before the next start().
  virtual ElementsByVerb elements_handed_over() const = 0;
  /// Returns a text for users and results files, for instance "mpi, host buffers, fp32, thread".
  virtual std::string description() const = 0;
};

}  // namespace ddproxy
