// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "miniapp/input/kernel_memory.hpp"
#include "model/step/step_graph.hpp"

// The memory of a whole training step on the kernels. The buffers of the step's graph are the memory that the
// kernels use: parameters, gradients, the optimizer's state, activations and their gradients. So the
// prediction and the allocation read the same list.
namespace ddproxy {

/// The places of the buffers of a step in one allocation.
struct StepPlaces {
  std::vector<std::size_t> first;  ///< [buffer of the graph] the index of its first element
  std::size_t elements = 0;        ///< of the allocation
};

/// Places the buffers of a graph one behind the other: first those of the kind `first`, if it is given, then
/// the others. Each begins on a cache line of 64 bytes. Throws std::invalid_argument for a buffer that is not
/// in fp32.
StepPlaces place_buffers(model::StepGraph const& graph,
                         std::optional<model::BufferKind> first = std::nullopt);

/// Returns what the kernels of a step need besides the buffers of the graph: "scratch"; "rope table", the
/// cosines and sines of all positions; "losses", the sum of the losses of each micro-batch in double; "clip",
/// the factor and the norm of the gradients. `tokens` are those of a micro-batch. `concurrency` is that of
/// work_buffers().
std::vector<Buffer> step_work_buffers(model::Shape const& shape, model::Tokens tokens, int micro_batches,
                                      std::int64_t concurrency);

}  // namespace ddproxy
