// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <stdexcept>

#include "miniapp/device/completion.hpp"
#include "model/step/step_graph.hpp"

namespace ddproxy {

using model::Slice;  ///< a range of elements of the memory of a step

/// A slice of the memory of a step that a task uses.
struct PlacedAccess {
  Slice slice;
  model::AccessMode mode;
  model::Content content;
  /// Index, in the parameters or gradients of the model, of the element at slice.offset. For activations:
  /// index of the operator.
  std::size_t model;
  bool last_use;  ///< the slice is undefined after the task
};

/// A compute task of a step, and the slices that it uses in the order of the graph. Valid only during the
/// call that it is passed to.
struct ComputeCall {
  model::Compute compute;
  std::span<const PlacedAccess> accesses;
};

/// The compute lane of one rank: carries out operators and copies one after another, in the order in which
/// run() and copy() are called. On a device every method but fence() returns before the work is done.
///
/// A step can be repeated any number of times: run() assigns gradients, and carry_out() assigns them or adds
/// to them as the accesses say. Order of calls: begin(), then run(), carry_out(), copy() and wait_for() in
/// any order, then fence().
class ComputeLane {
 public:
  virtual ~ComputeLane() = default;
  virtual std::size_t operations() const = 0;
  /// Computes anew what the operators read: the forward pass.
  virtual void renew() {}
  /// Starts a step.
  virtual void begin() {}
  /// Runs an operator, an index into BackwardPass::operations.
  virtual void run(std::size_t operation) = 0;
  /// Returns whether carry_out() can carry out this task. Such a task belongs to another phase than the
  /// backward pass, or to a further micro-batch.
  virtual bool knows(model::Compute const&) const { return false; }
  /// Carries out such a task.
  virtual void carry_out(ComputeCall const&) {
    throw std::logic_error("this compute lane carries out the backward pass of one micro-batch alone");
  }
  /// Copies the elements `from` of the memory of the step to those that begin at `to`.
  virtual void copy(Slice from, std::size_t to) = 0;
  /// Makes later run(), copy() and carry_out() begin their work only after `completion`.
  virtual void wait_for(Completion const& completion) = 0;
  /// Returns the completion of all work since begin(). On a device events are reused: the result stays valid
  /// for as many further operators and copies as one step contains.
  virtual Completion completion() = 0;
  /// Waits until all work since begin() is done.
  virtual void fence() = 0;
};

/// Runs all operators once, with nothing beside them, and waits for their end.
inline void run_all(ComputeLane& lane) {
  lane.begin();
  for (std::size_t operation = 0; operation < lane.operations(); ++operation) lane.run(operation);
  lane.fence();
}

}  // namespace ddproxy
