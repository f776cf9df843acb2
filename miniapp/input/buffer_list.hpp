// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <iterator>
#include <string_view>
#include <vector>

#include "miniapp/input/config.hpp"
#include "miniapp/input/engine_buffers.hpp"
#include "miniapp/input/step_memory.hpp"
#include "miniapp/input/workload.hpp"

// The list of the buffers of a rank: one row for each buffer that ddproxy's own code allocates and that grows
// with the model or with the messages. The allocation takes its sizes from this list, or from the functions
// with which the list is made (kernel_memory.hpp, step_memory.hpp, engine_buffers.hpp,
// comparison_buffers.hpp). The prediction of memory (memory_need.hpp) adds the rows up, and --dry-run prints
// the largest ones. The test miniapp.buffer_list compares the list with what a rank really allocates.
namespace ddproxy {

/// What a buffer is for. The values are indices into buffer_names.
enum class BufferUse : std::size_t {
  gradients,           ///< gradients of a backward pass, and the buckets if gradients are copied into them
  step,                ///< buffers of the graph of a whole step
  activations,         ///< parameters, activations and their gradients; only in a backward pass
  work,                ///< WorkBuffer (kernel_memory.hpp)
  tokens,              ///< tokens of all micro-batches
  step_results,        ///< ResultBuffer (step_memory.hpp)
  operands,            ///< copies of operands of matrix products in bf16
  gate,                ///< messages that [gate] allreduce_kib asks for
  messages,            ///< EngineBuffers::rounded of all lanes
  collective_results,  ///< EngineBuffers::results of all lanes
  slots,               ///< EngineBuffers::pinned of all lanes
  precisions,          ///< arrays that compare precisions (comparison_buffers.hpp); freed before the samples
  wire_formats,        ///< arrays that compare wire formats; freed before the samples
};

/// The names under which --dry-run prints the buffers.
inline constexpr std::string_view buffer_names[] = {"gradients and buckets",
                                                    "buffers of the step",
                                                    "parameters and activations",
                                                    "work buffers",
                                                    "tokens",
                                                    "results of the step",
                                                    "operands in bf16",
                                                    "messages of the gate",
                                                    "messages in bf16",
                                                    "results of collectives",
                                                    "pinned slots",
                                                    "comparison of precisions",
                                                    "comparison of wire formats"};

static_assert(std::size(buffer_names) == static_cast<std::size_t>(BufferUse::wire_formats) + 1);

constexpr std::string_view name_of(BufferUse use) {
  return buffer_names[static_cast<std::size_t>(use)];
}

enum class MemoryKind { host, device };

/// A row of the list.
struct ListedBuffer {
  BufferUse use;
  MemoryKind memory;
  double bytes;  ///< bytes that are allocated
  /// Bytes that are ever written. The operating system provides host memory only when it is written, so only
  /// these bytes count in a prediction.
  double written = bytes;
};

/// The buffers of a rank.
struct RankBuffers {
  MemoryKind arrays = MemoryKind::host;  ///< the memory of the arrays
  std::vector<ListedBuffer> rows = {};
  /// Bytes of host memory that MPI allocates during the largest call, and frees after it; 0 if MPI allocates
  /// none.
  double mpi_in_call = 0;

  /// Returns the elements of all buffers of this use, which must be buffers in fp32.
  std::size_t elements(BufferUse use) const;
};

/// Returns whether a rank needs the arena, which is the memory of all its gradients (docs/glossary.md). It
/// needs none if both compute and all-reduces are replayed.
bool needs_arena(Config const& config);

/// Returns whether the arrays of a rank are in device memory: in a build for a device, if the rank needs the
/// arena.
bool needs_device_memory(Config const& config);

/// Returns the memory of the arrays of a rank in this build, as needs_device_memory() says.
MemoryKind memory_of_arrays(Config const& config);

/// Returns whether the backward pass really copies gradients into buckets. A replayed pass copies nothing: it
/// only waits for the time of the copies.
bool copies_for_real(Config const& config);

/// Returns the elements of a message of `kib` KiB that `[gate] allreduce_kib` asks for, at least 1.
std::size_t gate_elements(double kib);

/// Returns the buffers of one of `ranks` ranks for all commands except `step`. `arrays` is the memory of the
/// arrays; in a run it is memory_of_arrays(). If it is device memory, MPI works on pinned slots in host
/// memory, except with [allreduce] buffers = "direct". With buffers = "auto" the slots are listed, because
/// only MPI knows, at run time, whether it accepts device memory. The messages of the gate are listed for
/// every command, although only `run` and `sweep` send them. `concurrency` is the concurrency of the
/// execution space. `scattered` is MostElements::scattered of the reduce-scatters that the command carries
/// out. It is 0 for every command except `collectives`. Throws std::invalid_argument, with the file and the
/// section, if the kernels cannot compute the model (check_kernels_have() in kernel_memory.hpp).
RankBuffers pass_buffers(Config const& config, Workload const& workload, int concurrency, int ranks,
                         std::size_t scattered, MemoryKind arrays);

/// Returns the places of the buffers of a whole step in the memory of a rank. The collectives of a
/// calibration begin at element 0, so the buffers on which they may work come first. Without sharding these
/// are the gradients, or the buckets if gradients are copied into buckets. With sharding and replayed
/// compute, they are the buffers that collectives use. With sharding and kernels, they are the buffers that
/// the operators of contention runs do not use (contention_operations() in workload.hpp).
StepPlaces step_places(Config const& config, Workload const& workload, model::StepGraph const& graph);

/// Returns the number of elements that a rank allocates for whole steps whose buffers lie at `places`. If the
/// kernels compute, it allocates all buffers. If only the collectives are real, it allocates the gradients,
/// or in a sharded step the buffers that collectives use. If compute and collectives are replayed, it
/// allocates nothing.
std::size_t allocated_elements(Config const& config, Workload const& workload, StepPlaces const& places);

/// Returns the calls of each communication lane of whole steps. `graph` is the graph of one class of `step`.
/// The first lane is that of the calibration. Without sharding it is the only one. A sharded step also has
/// the lanes of lane_calls() (engine_buffers.hpp). If it runs on NCCL, the calibration has calls on all
/// leading elements of `places`.
std::vector<LaneCalls> step_lanes(Config const& config, Workload const& workload, StepPlaces const& places,
                                  model::RankGraphs const& step, model::StepGraph const& graph);

/// Returns the buffers of a rank for whole steps. `elements` is the result of allocated_elements(), and
/// `lanes` that of step_lanes(). Arrays that compare gradients are not listed, because `step` does not
/// compare gradients of two precisions or wire formats. The other arguments are those of pass_buffers().
RankBuffers step_buffers(Config const& config, std::size_t elements, std::vector<LaneCalls> const& lanes,
                         int concurrency, MemoryKind arrays);

}  // namespace ddproxy
