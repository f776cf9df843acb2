// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "model/step/graph_builder.hpp"
#include "model/step/strategies/ddp_settings.hpp"
#include "model/transformer/gpt2.hpp"

namespace ddproxy::model {

/// The parts that ddp.cpp and whole_step.cpp share: each rank has all gradients, and all-reduces average them
/// bucket by bucket.
class AllReduceBuilder {
 protected:
  /// Takes references; they must outlive the object.
  AllReduceBuilder(BackwardPass const& pass, Ddp const& strategy);

  /// Adds the buffer of the gradients and the buffer of the buckets. Without copies both are one buffer.
  /// `remain` says whether the averages stay in a buffer at the end of the step.
  void add_gradients(bool remain);

  /// Returns an access to a slice of a buffer. Element i of the buffer is for element i of the model,
  /// unless the buffer holds the norm.
  Access access(BufferId buffer, Slice slice, AccessMode mode, Content content = Content::gradient) const;

  /// Adds the backward task of an operator, with its accesses to the gradients. `assigns` is true for
  /// the first micro-batch, which assigns the gradients; later ones add to them. `synced` is true if this
  /// micro-batch reduces the buckets. Then, if the strategy has copies, the copies of the completed gradients
  /// into their buckets follow. Returns the last task that was added.
  TaskId backward(Task task, bool assigns, bool synced);
  /// Makes backward() begin with the first gradient again, for the next micro-batch.
  void restart() { next_gradient_ = 0; }
  /// Returns whether backward() has completed every gradient of a bucket.
  bool is_complete(Bucket const& bucket) const { return bucket.last < next_gradient_; }

  /// Adds the all-reduce of a bucket and returns its id. The all-reduce also waits for the tasks `after`.
  TaskId all_reduce(Slice bucket, std::vector<TaskId> const& after);
  /// Adds the copy of a bucket back to its gradients, if the strategy has such copies.
  void copy_out(Slice bucket);

  /// Returns the step of `ranks` ranks, which all have the same graph. Completes `expected` with the
  /// gradients and the ranks that contribute to them.
  RankGraphs finish(Expected expected, std::size_t ranks);

  BackwardPass const& pass_;
  Ddp const& ddp_;
  Slice all_;  // all parameters
  GraphBuilder builder_;
  BufferId gradients_, buckets_;
  BufferId reduced_;  // gradients_ or buckets_: the buffer that has the averages in the end

 private:
  Access gradient(std::size_t number, bool assigns) const;
  TaskId copy(CopyKind kind, Slice slice, BufferId from, BufferId to);

  std::optional<std::size_t> head_;  // the tied output head, which also contributes to the last gradient
  std::size_t next_gradient_ = 0;
};

}  // namespace ddproxy::model
