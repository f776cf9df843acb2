// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/step/step_graph.hpp"
#include "model/step/strategies/strategy.hpp"
#include "model/transformer/forward_pass.hpp"
#include "model/transformer/gpt2.hpp"

namespace ddproxy::model {

/// Builds the graph of a whole training step: forward and backward pass, all-reduces, clipping and update.
/// All `ranks` ranks have the same graph. `forward` and `pass` must belong to the same model. `tokens` is the
/// number of tokens of a micro-batch on one rank.
///
/// The compute lane runs the micro-batches one after another, each with its forward and backward pass
/// (micro_batch.hpp). If gradients are clipped, it then computes the norm of each bucket. At the end it
/// updates the parameters of each bucket. Norms and updates follow the order of the plan. The compute lane
/// also makes the copies between gradients and buckets (Ddp::copies). Communication lane 0 runs the
/// all-reduces.
///
/// - The first micro-batch assigns gradients, the later ones add to them.
/// - With Sync::each every micro-batch has its all-reduces. Let P be the gradient that was averaged so far,
///   which is equal on all ranks, and L_r what the micro-batch added on rank r. The all-reduce gives
///   avg(P + L_r) = P + avg(L_r). As in PyTorch, the next micro-batch waits for the all-reduces.
/// - Without clipping the update of a bucket waits only for the all-reduce of that bucket.
/// - With clipping each norm task waits for the all-reduce of its bucket. It adds the squares of the bucket
///   to a sum. The sum is a double, so its buffer has two elements of 4 bytes. Each update waits for all norm
///   tasks, reads the sum, and scales the gradients that it uses. Without an optimizer, clip tasks scale the
///   gradients in place.
/// - The norm needs no collective: after the all-reduces every rank has the same gradients and computes the
///   same norm. A strategy that divides the gradients among the ranks would have to all-reduce the sum.
///
/// If `strategy.sharding` names a way of sharding, the function in its row of shard_table.inc builds the
/// step, for instance zero_step() or fsdp_step() (sharded_steps.hpp). Everything above describes steps
/// without sharding.
///
/// Throws std::invalid_argument if `micro_batches` or `tokens` is not positive, or if `forward` and `pass`
/// have different numbers of operators. Also throws what the function in the row throws.
RankGraphs whole_step(BackwardPass const& pass, ForwardPass const& forward, std::int64_t tokens,
                      Strategy const& strategy, std::size_t ranks, RankClasses classes = RankClasses::all);

}  // namespace ddproxy::model
