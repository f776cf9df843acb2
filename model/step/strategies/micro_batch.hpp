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
  none,   ///< all
  layer,  ///< of each transformer block its input; the others are computed again before its backward pass
};

/// Adds the buffers of activations and of their gradients to `builder`, and returns the compute tasks of one
/// micro-batch in the order in which they run: forward, backward, and with Checkpoint::layer before the
/// backward pass of each block its recompute tasks. The tasks read `parameters`, a buffer with all parameters
/// in ready order. They do not write gradients of parameters; the strategy adds those accesses.
///
/// Each buffer has a slot for the `tokens` of one micro-batch, and the micro-batches use it one after
/// another. A last_use marks the last access to what a slot holds. With Checkpoint::layer the recomputed
/// activations of all blocks share the slots of one block. The `model` of an access is the index of the
/// tensor in ForwardPass::activations; for gradients of activations it is the index in ForwardPass::gradients
/// plus the number of activations.
std::vector<Task> micro_batch(GraphBuilder& builder, ForwardPass const& pass, TensorLayout const& layout,
                              BufferId parameters, std::int64_t tokens, Checkpoint checkpoint);

}  // namespace ddproxy::model
