// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "model/step/strategies/strategy.hpp"
#include "model/transformer/forward_pass.hpp"

// The graphs of sharded steps. shard_table.inc names the functions, and whole_step() (whole_step.hpp) calls
// them.
namespace ddproxy::model {

/// A unit of fsdp_step(): the parameters that a rank holds whole while it uses them.
struct GatheredUnit {
  std::optional<std::size_t> block;  ///< its block; nothing: the root unit, or the whole model
  std::size_t elements = 0;          ///< elements of the gathered unit, with the padding
  bool stays = false;  ///< true: it stays gathered from its first to its last use in a micro-batch
};

/// Returns the units of a step in ready order of their first parameters. Each unit is divided over `ranks`
/// ranks. The two runs of the root unit (fsdp_step()) are one entry.
std::vector<GatheredUnit> gathered_units(BackwardPass const& pass, Sharding const& sharding,
                                         std::size_t ranks);

/// Builds a step with ZeRO stage 1 or 2. Every rank has all parameters. The buckets of `strategy.ddp.plan`
/// are divided among the ranks.
///
/// - Stage 1 has a buffer for the gradients of each bucket. The last micro-batch reduces the buckets;
///   with Sync::each every micro-batch does. Sharding::reduce selects a reduce-scatter into a shard, or an
///   all-reduce.
/// - Stage 2 has two buffers for gradients of buckets, used in turn. Every micro-batch reduces its buckets by
///   reduce-scatters. From the second micro-batch on the reduce-scatters add to the shards. Sync has no
///   effect. A bucket that contains a tied embedding has a buffer of its own, because the output head
///   contributes to this bucket at the start of the backward pass.
/// - Each rank updates its shard of a bucket. Then an all-gather of the bucket, or a broadcast of each shard,
///   brings the updated parameters to all ranks.
/// - With clipping each rank adds the squares of its shards, and an all-reduce adds the sums of the ranks. If
///   Sharding::reduce is all_reduce, every rank has all gradients, so the norm needs no all-reduce.
///
/// `copies` of `strategy.ddp` has no effect. Checks no arguments: whole_step() does so before it calls this
/// function.
RankGraphs zero_step(BackwardPass const& pass, ForwardPass const& forward, std::int64_t tokens,
                     Strategy const& strategy, std::size_t ranks, RankClasses classes = RankClasses::all);

/// Builds a fully sharded step, with the rules of PyTorch's fully_shard (FSDP2). A rank has shards of the
/// parameters, the gradients and the state of the optimizer.
///
/// - A unit is gathered before its forward pass. With Sharding::reshard_after_forward it is released after
///   its forward pass and gathered again before its backward pass. Otherwise it is kept until the end of its
///   backward pass. The last block is always kept, because its backward pass follows at once.
/// - At most `prefetch` units are gathered ahead of compute. The units that are released after their forward
///   pass share prefetch + 1 buffers, called slots. A gather into a slot waits until the last task that reads
///   the slot has ended.
/// - The root unit has the parameters outside of the blocks. It stays gathered for the whole micro-batch. It
///   is not contiguous in ready order, so it consists of two runs, each with its own collectives.
/// - The backward pass of a unit ends with the reduce-scatter of its gradients. In the second and later
///   micro-batches the reduce-scatter adds to the shard. Two buffers hold the gradients of blocks in turn.
///   Sync has no effect.
/// - If groups of ranks share a unit (HSDP), each reduce-scatter of the last micro-batch is followed by an
///   all-reduce, which averages the shard over the groups.
/// - With `strategy.ddp.overlapped` = false nothing is gathered ahead, and compute waits for each
///   reduce-scatter.
///
/// `strategy.ddp.plan` and `copies` have no effect. Throws std::invalid_argument if the size of a
/// group (Sharding::group) does not divide `ranks`. whole_step() checks the other arguments before it calls
/// this function.
RankGraphs fsdp_step(BackwardPass const& pass, ForwardPass const& forward, std::int64_t tokens,
                     Strategy const& strategy, std::size_t ranks, RankClasses classes = RankClasses::all);

}  // namespace ddproxy::model
