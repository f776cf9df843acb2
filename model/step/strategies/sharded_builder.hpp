// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "model/step/graph_builder.hpp"
#include "model/step/strategies/strategy.hpp"

// The parts that zero.cpp and fsdp.cpp share: communicators, shards, clipping and updates. A sharded slice
// (ShardedSlice) has the consecutive tensors of a bucket, of a unit, or of one run of the root unit
// (sharding.hpp).
namespace ddproxy::model {

/// The communicators of a sharded step. Communicator 0 has all ranks.
struct ShardGroups {
  std::vector<Communicator> communicators;
  std::size_t ranks = 1;  ///< n, the number of ranks that share a sharded slice
  /// The communicators of the reductions and of the gathers. Each group has n consecutive ranks.
  CommunicatorId reduces{0}, gathers{0};
  /// The communicator of the ranks with the same shard. Set only if the ranks form several groups.
  std::optional<CommunicatorId> replicas = std::nullopt;
  /// Returns the lane of a communicator.
  Lane lane(CommunicatorId id) const;
};

/// Returns the communicators of `ranks` ranks. Throws std::invalid_argument if the size of a group
/// (Sharding::group) does not divide `ranks`.
ShardGroups shard_groups(Sharding const& sharding, std::size_t ranks);

/// Builds the graphs of the ranks. Calls build(place) once for each class of ranks. With a place the class
/// has the ranks at this place of their groups. Without a place it has all ranks whose shards have no
/// padding. If `all_differ` is true, every place has a class of its own. With RankClasses::first all ranks
/// get the graph of rank 0.
RankGraphs for_each_class(ShardGroups const& groups, std::vector<ShardedSlice> const& slices, bool all_differ,
                          RankClasses classes,
                          std::function<StepGraph(std::optional<std::size_t> place)> const& build);

/// The buffers and tasks that all sharded steps have.
class ShardedBuilder {
 protected:
  /// Takes references; they must outlive the object. `place` is explained at for_each_class().
  ShardedBuilder(BackwardPass const& pass, Strategy const& strategy, ShardGroups const& groups,
                 std::optional<std::size_t> place);

  bool updates() const { return strategy_.optimizer != Optimizer::none; }

  /// Adds a buffer with this rank's shard of a slice. If `kept` is true, the buffer has `content` at the
  /// start and at the end of the step. Otherwise it has `content` only at the end, and only if `exits` is
  /// true.
  BufferId shard_buffer(BufferKind kind, Content content, ShardedSlice const& sharded, bool kept,
                        bool exits = false);

  /// Returns an access to a whole slice, with the padding. The slice begins at the first element of the
  /// buffer.
  Access whole(BufferId buffer, ShardedSlice const& sharded, AccessMode mode, Content content) const;
  /// Returns an access of a collective to a buffer with this rank's shard, with the padding.
  Access shard(BufferId buffer, ShardedSlice const& sharded, AccessMode mode, Content content) const;
  /// Returns an access of a compute task to a buffer with this rank's shard, without the padding.
  Access own(BufferId buffer, ShardedSlice const& sharded, AccessMode mode, Content content) const;
  /// Returns an access to this rank's shard inside a buffer that holds the whole slice, without the padding.
  Access own_part(BufferId buffer, ShardedSlice const& sharded, AccessMode mode, Content content) const;
  /// Returns an access to one tensor of a slice, in a buffer with the whole slice.
  Access tensor(BufferId buffer, ShardedSlice const& sharded, std::size_t tensor, AccessMode mode,
                Content content) const;

  /// Adds a collective on the lane of its communicator.
  TaskId collective(Verb verb, CommunicatorId on, std::vector<Access> accesses,
                    DataType wire = DataType::fp32);
  /// Adds the reduction of a slice: the reduce-scatter of `from` into the shard `to`. `mode` says whether it
  /// assigns the shard or adds to it. `last_use` is true if no later task reads `from`.
  TaskId reduce_scatter(ShardedSlice const& sharded, BufferId from, BufferId to, AccessMode mode,
                        bool last_use);
  /// Adds the all-reduce of a shard over the replicas, if there are any.
  void reduce_replicas(ShardedSlice const& sharded, BufferId shard);

  /// Adds the tasks that compute the norm of all gradients. `gradients` has the accesses that read them. If
  /// the ranks have different gradients (`over_ranks`), a collective adds their sums of squares.
  void add_norm(std::vector<Access> const& gradients, bool over_ranks);
  /// Adds the update of this rank's parameters. The accesses read the gradients and modify the parameters and
  /// the state of the optimizer. With clipping the task reads the norm.
  void add_update(Access gradients, Access parameters, std::vector<Access> const& state);
  /// Adds the clipping of gradients in place, for a step without an optimizer.
  void add_clip(Access gradients);

  /// Returns the graph.
  StepGraph finish();

  BackwardPass const& pass_;
  Strategy const& strategy_;
  ShardGroups const& groups_;
  std::optional<std::size_t> place_;
  TensorLayout const& layout_;
  std::optional<std::size_t> head_;  // the tied output head, which also contributes to the last gradient
  GraphBuilder builder_;
  std::optional<BufferId> norm_;
};

/// A gradient that a backward task computes. `second` is true if it is the second contribution of a tied
/// embedding, which adds to the first one.
struct ComputedGradient {
  std::size_t tensor;
  bool second;
};

/// Returns the gradients that the backward task of an operator computes, in the order of their accesses.
/// `tied` is the result of tied_head() (tied_head.hpp).
std::vector<ComputedGradient> computed_gradients(BackwardPass const& pass, std::size_t operation,
                                                 std::optional<std::size_t> tied);

}  // namespace ddproxy::model
