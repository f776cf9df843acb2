// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "model/predict/graph/memory_format.hpp"
#include "model/step/step_graph.hpp"
#include "model/step/strategies/sharding.hpp"
#include "model/step/strategies/strategy.hpp"

// Closed forms of sharded training, to compare with the step graphs: Rajbhandari, Rasley, Ruwase, He, "ZeRO:
// Memory Optimizations Toward Training Trillion Parameter Models", SC 2020, sections 3 and 5. Psi is the
// number of parameters. The forms ignore padding. They also ignore that with Sharding::reshard_after_forward
// the root unit and the last layer stay gathered from the forward pass to the backward pass.

namespace ddproxy::model {

/// Bytes of one rank that do not depend on the batch.
struct ClosedState {
  double parameters = 0;
  double gradients = 0;
  double buckets = 0;
  double optimizer = 0;  ///< moments, and the master copy of MemoryFormat::bf16_master
  double total() const { return parameters + gradients + buckets + optimizer; }
};

/// Returns the state of one of `ranks` ranks. In fp32 and with autocast a parameter, its gradient and its two
/// moments take 4, 4 and 8 bytes; with bf16_master 2, 2 and 12. The parts that ShardWay::divided names are
/// divided by the number of ranks. If `copied` is true, gradients are copied into buckets, and all buckets
/// together take the bytes of all gradients, undivided. Gathered units and the cached weights of autocast are
/// not included.
ClosedState closed_state(ShardStage stage, MemoryFormat format, double parameters, double ranks, bool copied);

/// The calls of a verb (the kind of a collective) in a step.
struct VerbVolume {
  Verb verb;
  double times;       ///< sum of the sizes x of all calls, as a multiple of Psi elements
  std::size_t ranks;  ///< ranks that take part in a call
};

/// What a step does with its micro-batches.
struct MicroBatches {
  int count = 1;
  Sync sync = Sync::last;  ///< the micro-batches after which undivided gradients are averaged
};

/// Returns the communication of a step on `ranks` ranks. If gradients are divided, or with Sync::each, they
/// are averaged in every micro-batch. Otherwise they are averaged once in a step. Divided parameters are
/// gathered twice in every micro-batch: before the forward pass and before the backward pass. They are
/// gathered only once if Sharding::reshard_after_forward is false or if the whole model is one unit, because
/// they then stay gathered between the two passes. If the optimizer state is divided but the parameters are
/// not, the updated parameters are distributed once in a step. Sharding::reduce is the verb that averages
/// gradients, and Sharding::update is the verb that distributes parameters. If the stage does not have one of
/// these keys (ShardWay::keys), the member of the same name of ShardWay is the verb.
///
/// With Sharding::group = g (HSDP) these collectives run within groups of g ranks. If there are several
/// groups, each shard of Psi / g gradients is then averaged over the groups, once in a step. The all-reduce
/// of a shard has `ranks` / g members: the ranks that have this shard. g must divide `ranks`.
std::vector<VerbVolume> closed_volumes(Sharding const& sharding, MicroBatches micro_batches,
                                       std::size_t ranks);

}  // namespace ddproxy::model
