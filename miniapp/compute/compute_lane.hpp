// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <stdexcept>

#include "miniapp/device/completion.hpp"
#include "model/step/step_graph.hpp"

namespace ddproxy {

using model::Slice;  ///< a range of elements in the memory of a step

/// A slice of the memory of a step, and how a task uses it.
struct PlacedAccess {
  Slice slice;
  model::AccessMode mode;
  model::Content content;
  /// For parameters, gradients and optimizer states: the index that the element at slice.offset has in the
  /// model. For activations: the number of the tensor (Access::model in model/step/step_graph.hpp).
  std::size_t model;
  bool last_use;  ///< true: the elements of the slice are undefined after the task
};

/// A compute task of a step, and the slices that it uses, in the order in which the graph lists them.
struct ComputeCall {
  model::Compute compute;
  std::span<const PlacedAccess> accesses;  ///< not owned; valid during the call that receives this object
};

/// The compute lane of one rank. It carries out operators, tasks and copies one after another, in the order
/// of the calls of run(), carry_out() and copy(). On a device these three return when the work is enqueued.
///
/// Order of calls in a step: begin(), then run(), carry_out(), copy() and wait_for() in any order, then
/// fence(). A step can be repeated any number of times. run() assigns gradients; carry_out() assigns them or
/// adds to them, as the modes of the accesses say.
class ComputeLane {
 public:
  virtual ~ComputeLane() = default;
  /// Returns the number of operators of the backward pass.
  virtual std::size_t operations() const = 0;
  /// Runs the forward pass again and waits until it is done. The operators read its results. Does nothing on
  /// a lane without a forward pass of its own.
  virtual void renew() {}
  /// Starts a step.
  virtual void begin() {}
  /// Runs an operator of the backward pass. `operation` is an index into BackwardPass::operations.
  virtual void run(std::size_t operation) = 0;
  /// Returns whether carry_out() can carry out this task. run_step() uses carry_out() for all compute tasks
  /// of a step that has more than the backward pass of one micro-batch. Otherwise it uses run().
  virtual bool knows(model::Compute const&) const { return false; }
  /// Carries out a task of any phase and micro-batch. Throws std::logic_error if the lane supports only
  /// run().
  virtual void carry_out(ComputeCall const&) {
    throw std::logic_error("this compute lane carries out only the backward pass of one micro-batch");
  }
  /// Copies the elements `from` of the memory of the step to the elements that begin at index `to`.
  virtual void copy(Slice from, std::size_t to) = 0;
  /// Makes the work of later calls of run(), copy() and carry_out() begin only after `completion`. If the
  /// completion is an event of the device, the stream waits and the host goes on.
  virtual void wait_for(Completion const& completion) = 0;
  /// Returns the completion of all work since begin(). On a host a lane with kernels first waits until the
  /// work is done. On a device the completion has an event. The lane owns a fixed number of events and uses
  /// them in turn. So the event stays valid only until N more operators, tasks and copies have been enqueued.
  /// N is their number in a whole step.
  virtual Completion completion() = 0;
  /// Waits until all work since begin() is done.
  virtual void fence() = 0;
};

/// Runs all operators once, without communication, and waits until they are done.
inline void run_all(ComputeLane& lane) {
  lane.begin();
  for (std::size_t operation = 0; operation < lane.operations(); ++operation) lane.run(operation);
  lane.fence();
}

}  // namespace ddproxy
