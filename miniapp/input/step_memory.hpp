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
  std::vector<std::size_t> first;  ///< [buffer of the graph] index of the buffer's first element
  std::size_t elements = 0;        ///< elements of the allocation
  std::size_t leading = 0;         ///< elements of the buffers that come first, with their padding
};

/// Places the buffers of a graph one after another. If `first` is given, the buffers of this kind come first.
/// Each buffer begins on a cache line of 64 bytes. Throws std::invalid_argument if a buffer is not in fp32.
StepPlaces place_buffers(model::StepGraph const& graph,
                         std::optional<model::BufferKind> first = std::nullopt);

/// Does the same, but places first the buffers for which `leads` is true. `leads`: [buffer of the graph].
StepPlaces place_buffers(model::StepGraph const& graph, std::vector<bool> const& leads);

/// Returns the places of the buffers of backward_graph() (kernel_memory.hpp). The gradients come first. They
/// lie in memory of their own, so a rank allocates only the elements behind them for this list.
StepPlaces backward_places(model::Shape const& shape, model::Tokens tokens);

/// Returns, for each buffer of a graph, whether a collective uses it.
std::vector<bool> communicated_buffers(model::StepGraph const& graph);

/// The results of a whole step that are not in a buffer of the step graph. The values are indices into
/// result_buffers().
enum class ResultBuffer : std::size_t {
  losses,          ///< [micro-batch] sums of losses, in double
  clip,            ///< [2] the factor that clips, and the norm of the gradients
  sum_of_squares,  ///< [1] in double: this rank's sum; used only if a collective adds the sums of all ranks
};

/// Returns the elements of each ResultBuffer. An element has 4 bytes. In addition to the buffers of the
/// graph, a step needs these buffers, work_buffers(), and the tokens of each micro-batch (token_elements()).
/// miniapp/input/kernel_memory.hpp declares work_buffers() and token_elements().
std::vector<std::int64_t> result_buffers(int micro_batches);

}  // namespace ddproxy
