// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "model/step/graph_builder.hpp"
#include "model/step/step_graph.hpp"
#include "model/transformer/forward_pass.hpp"

namespace ddproxy::model {

/// Which activations are kept from the forward to the backward pass.
enum class Checkpoint {
  none,   ///< all activations are kept
  layer,  ///< each transformer block keeps its input and computes the other activations again before its
          ///< backward pass
};

/// Adds the buffers of activations and of their gradients to `builder`, and returns the compute tasks of one
/// micro-batch in the order in which they run: first forward, then backward. With Checkpoint::layer the
/// recompute tasks of a block come before its backward tasks. The tasks read `parameters`, a buffer with all
/// parameters in ready order. They do not write gradients of parameters; the strategy adds those accesses.
///
/// Each buffer has space for the `tokens` of one micro-batch. The micro-batches use the buffers one after
/// another. With Checkpoint::layer all blocks use the same buffers for the activations that they recompute.
/// Access::last_use is set if the micro-batch does not need the contents of the buffer after this access: its
/// next task that uses the buffer overwrites it, or no task of the micro-batch uses it any more. For
/// activations Access::model is the index in ForwardPass::activations. For gradients of activations it is the
/// index in ForwardPass::gradients plus the number of activations.
std::vector<Task> micro_batch(GraphBuilder& builder, ForwardPass const& pass, TensorLayout const& layout,
                              BufferId parameters, std::int64_t tokens, Checkpoint checkpoint);

}  // namespace ddproxy::model
