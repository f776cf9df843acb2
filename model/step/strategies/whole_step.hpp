// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/step/bucket_plan.hpp"
#include "model/step/copy_mode.hpp"
#include "model/step/step_graph.hpp"
#include "model/step/strategies/micro_batch.hpp"
#include "model/transformer/forward_pass.hpp"
#include "model/transformer/gpt2.hpp"

namespace ddproxy::model {

/// When buckets are reduced in a step of several micro-batches.
enum class Sync {
  last,  ///< in the last micro-batch, as with PyTorch DDP's no_sync() in the others
  each,  ///< in every micro-batch, as PyTorch DDP does by itself
};

enum class Optimizer {
  none,   ///< the step ends with averaged gradients
  adamw,  ///< two numbers of state for each parameter (Loshchilov and Hutter, 2019)
};

/// How a whole training step is carried out with data parallelism.
struct WholeStep {
  Plan plan;  ///< covers every gradient; empty: no gradient is reduced, for a step of one rank alone
  /// A bucket is reduced as soon as its last gradient is complete; else behind the backward pass.
  bool overlapped = true;
  CopyMode copies = CopyMode::none;
  DataType wire = DataType::fp32;
  int micro_batches = 1;  ///< accumulation k
  Sync sync = Sync::last;
  bool clipped = false;  ///< gradients are scaled so that their global norm has an upper limit
  Optimizer optimizer = Optimizer::none;
  Checkpoint checkpoint = Checkpoint::none;
};

/// Builds a whole step of a model on each of `ranks` ranks. `tokens` is the number of tokens of a micro-batch
/// on one rank. `forward` is that of the same model as `pass`.
///
/// Compute lane: the micro-batches one after another, each forward and backward (micro_batch.hpp); then the
/// norm of the gradients of each bucket, and the update of each bucket, both in the order of the plan.
/// Communication lane 0: the all-reduces. Copies are on the compute lane, as in ddp().
///
/// - The first micro-batch assigns gradients, the later ones add to them.
/// - With Sync::each an all-reduce averages what was averaged before plus what the micro-batch added on each
///   rank: avg(P + L_r) = P + avg(L_r). As in PyTorch, the next micro-batch waits for the all-reduces.
/// - The update of a bucket waits for its all-reduce alone, unless gradients are clipped.
/// - Clipping: each norm task adds the squares of one bucket to a scalar, a double that takes two elements.
///   The updates read the scalar and scale the gradients themselves, so every update waits for all norms, and
///   they wait for all all-reduces. After the all-reduces every rank has the same gradients. Each rank
///   therefore computes the same norm, and no collective is needed. A strategy that shards gradients has to
///   all-reduce the scalar.
///   Without an optimizer there are clip tasks, which scale the gradients in place.
///
/// Throws std::invalid_argument if `micro_batches` or `tokens` is not positive, or if `forward` and `pass`
/// have different numbers of operators.
RankGraphs whole_step(BackwardPass const& pass, ForwardPass const& forward, std::int64_t tokens,
                      WholeStep const& strategy, std::size_t ranks);

}  // namespace ddproxy::model
