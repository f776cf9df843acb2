// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "miniapp/input/config.hpp"
#include "model/step/step_graph.hpp"

// The buffers of the engines that carry out collectives (miniapp/collectives/engines). The engines allocate
// these buffers, and the prediction of memory (memory_need.hpp) counts them.
namespace ddproxy {

/// The sizes of the largest calls of a lane, in elements. The full size x of a call is the number of elements
/// of full_slice() (miniapp/collectives/drivers/collective_call.hpp).
struct MostElements {
  std::size_t of_call = 0;  ///< full size x of the largest call
  /// Elements that the largest reduce-scatter in fp32 writes to EngineBuffers::results of the MPI engine, or
  /// an upper bound on this number.
  std::size_t scattered = 0;
  std::size_t added = 0;  ///< result of the largest reduce-scatter that adds its result to memory
};

/// The calls of one communication lane.
struct LaneCalls {
  MostElements most;
  int ranks;  ///< number of ranks that take part in a call
};

/// Returns the calls of each communication lane of `graph`, which is the graph of one class of `step`. The
/// lanes have the order of model::Lane. In the result, MostElements::scattered is the full size x of the
/// largest reduce-scatter in fp32.
std::vector<LaneCalls> lane_calls(model::RankGraphs const& step, model::StepGraph const& graph);

/// Returns the elements of the largest piece of an MPI collective. The engines allocate messages for pieces
/// of this size, and the prediction of memory counts them.
std::size_t piece_elements(Config const& config);

/// The buffers that an engine allocates for one lane, in elements.
struct EngineBuffers {
  std::size_t rounded = 0;  ///< elements in bf16: a message that is rounded
  std::size_t results = 0;  ///< elements in fp32: the result of a reduce-scatter
  std::size_t pinned = 0;   ///< elements in fp32 in pinned memory: the slots of staged collectives
};

/// Returns the buffers of the MPI engine for host memory. A piece of a call has at most `piece_elements`
/// elements, and `ranks` ranks take part in a call. The engine writes to `results` in a reduce-scatter that
/// is transferred in fp32. With MPICH it also writes to half of `results` in an all-reduce over two ranks
/// (exchange_average.hpp). The prediction of memory does not count this half. Instead it counts the memory
/// that MPI allocates in other all-reduces: this is more than the half, and MPI does not allocate it in an
/// all-reduce by an AverageExchange. The engine allocates `results` for every lane, even if no call of the
/// lane writes to it. An array that is never written takes no memory, because the operating system provides
/// memory only when it is written.
EngineBuffers buffers_of_mpi(WireFormat wire, std::size_t piece_elements, int ranks);

/// Number of slots of pinned host memory through which MPI gets device memory (Staging in
/// engines/staging.hpp).
inline constexpr std::size_t staging_slots = 2;

/// Returns the elements of a slot, for pieces of at most `piece_elements` elements. A slot has at least one
/// element more than there are ranks, because a reduce-scatter that adds needs one element of each rank and
/// the element to which it adds.
std::size_t slot_elements(std::size_t piece_elements, int ranks);

/// Returns the host memory with which MPI carries out collectives on device memory: the slots, and the
/// buffers of the MPI engine that works on them (StagedEngine in engines/staged_engine.hpp).
EngineBuffers buffers_of_staged_mpi(WireFormat wire, std::size_t piece_elements, int ranks);

/// Returns the number of elements that the MPI engine writes to `results` in a reduce-scatter that works in
/// place, in fp32, on host memory. The full size of the reduce-scatter is `x` elements, over n = `ranks`
/// ranks. With one piece, the engine writes only the result, x/n elements. With several pieces (CallPieces in
/// engines/call_pieces.hpp), it packs each piece, so it writes all elements of the largest piece.
std::size_t scattered_in_place(std::size_t x, std::size_t piece_elements, int ranks);

/// Returns the buffers of a lane of NCCL, in device memory. NCCL can only assign. So if a reduce-scatter adds
/// its result to memory, NCCL assigns the result to `results` first.
EngineBuffers buffers_of_nccl(WireFormat wire, MostElements const& most);

}  // namespace ddproxy
