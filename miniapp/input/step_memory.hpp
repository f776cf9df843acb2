// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "miniapp/input/kernel_memory.hpp"
#include "model/step/step_graph.hpp"

// The memory of a whole training step on the kernels. The kernels work on the buffers of the step graph:
// parameters, gradients, the moments of the optimizer, activations and their gradients. The prediction of
// memory and the allocation use the same list of buffers.
namespace ddproxy {

/// The places of all buffers of a step in one allocation.
struct StepPlaces {
  std::vector<std::size_t> first;  ///< [buffer of the graph] index of its first element in the allocation
  std::size_t elements = 0;        ///< elements of the allocation
  std::size_t leading = 0;         ///< elements of the buffers that come first
};

/// Places the buffers of a graph one after another. If `first` is given, the buffers of this kind come first.
/// Each buffer begins on a cache line of 64 bytes. Throws std::invalid_argument if a buffer is not in fp32.
StepPlaces place_buffers(model::StepGraph const& graph,
                         std::optional<model::BufferKind> first = std::nullopt);

/// Places the buffers of a graph one after another, first those for which `leads` is true, [buffer of the
/// graph]. Otherwise the same as the function above.
StepPlaces place_buffers(model::StepGraph const& graph, std::vector<bool> const& leads);

/// Returns, for each buffer of a graph, whether a collective uses it.
std::vector<bool> communicated_buffers(model::StepGraph const& graph);

/// Returns the buffers that the kernels of a step need in addition to the buffers of the graph: "scratch";
/// "rope table", with the cosines and sines of all positions; "losses", with one sum of losses in double for
/// each micro-batch; "clip", with the factor and the norm of the gradients; "sum of squares", with this
/// rank's sum in double if a collective adds the sums of the ranks. `tokens` has the tokens of one
/// micro-batch on one rank. `concurrency` is that of work_buffers() (miniapp/input/kernel_memory.hpp).
std::vector<KernelBuffer> step_work_buffers(model::Shape const& shape, model::Tokens tokens,
                                            int micro_batches, std::int64_t concurrency);

}  // namespace ddproxy
