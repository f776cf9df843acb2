// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "miniapp/input/comparison_buffers.hpp"
#include "miniapp/input/config.hpp"
#include "miniapp/input/engine_buffers.hpp"
#include "miniapp/input/kernel_memory.hpp"
#include "miniapp/input/step_memory.hpp"
#include "miniapp/input/workload.hpp"

namespace ddproxy {

/// Device memory that the BLAS library and NCCL take for themselves, in bytes for each rank. The two numbers
/// are estimates; together they are 640 MiB. Only their sum was measured, once, with one rank on an H200
/// (2026-11-26): 652 MiB in addition to the arrays. A run on a GPU measures both numbers
/// (/provenance/blas_memory and nccl_memory in docs/results.md).
inline constexpr double blas_device_memory = 128.0 * 1024 * 1024;
inline constexpr double nccl_device_memory = 512.0 * 1024 * 1024;

/// Returns whether a rank needs the arena, which is the memory of all its gradients (docs/glossary.md). It
/// needs none if both compute and all-reduces are replayed.
bool needs_arena(Config const& config);

/// Returns whether the arrays of a rank are in device memory: in a build for a device, if the rank needs the
/// arena.
bool needs_device_memory(Config const& config);

/// The memory that a rank needs, in bytes. The results file is not included: rank 0 holds it in host memory,
/// and needs results_memory() or step_results_memory() (miniapp/input/results_need.hpp) in addition.
struct MemoryNeed {
  double host;
  std::optional<double> device;  ///< nothing if needs_device_memory() is false
};

/// Returns the memory that rank 0 needs, in bytes. If its arrays are in device memory, this is `need.device`.
/// Otherwise this is the sum of `need.host` and `file_need`, the bytes that the results file needs. The
/// results file is always in host memory.
double need_with_results_file(MemoryNeed const& need, double file_need);

/// Returns whether the backward pass really copies gradients into buckets. A replayed pass copies nothing: it
/// only waits for the time of the copies.
bool copies_for_real(Config const& config);

/// Returns the elements that a rank allocates for the buffers of a step: those of all gradients, or twice
/// this number (gradients and buckets) if copies_for_real() is true. Returns 0 if needs_arena() is false.
/// Both the allocation and the prediction of memory use this number.
std::size_t step_elements(Config const& config, Workload const& workload);

/// Returns the elements of a message of `kib` KiB that `[gate] allreduce_kib` asks for, at least 1.
std::size_t gate_elements(double kib);

/// Returns the elements that a rank allocates for these messages: those of the largest one. They share the
/// memory. Returns 0 if there are none, or only one rank.
std::size_t gate_elements(Config const& config, int ranks);

/// Returns the bytes of host memory that one of `ranks` ranks needs if its arrays are in host memory.
/// wire_error_memory() is included. So are the messages of the gate, for every command, although only `run`
/// and `sweep` send them. The results file is not included: rank 0 holds it, and needs results_memory()
/// (miniapp/input/results_need.hpp) in addition. `concurrency` is the concurrency of the execution space.
/// `scattered` is MostElements::scattered of the reduce-scatters that the command carries out. It is 0 for
/// every command except `collectives`. Throws what kernel_memory() (miniapp/input/kernel_memory.hpp) throws.
double host_memory_need(Config const& config, Workload const& workload, int concurrency, int ranks,
                        std::size_t scattered = 0);

/// Returns the bytes of device memory that one of `ranks` ranks needs, with blas_device_memory if the kernels
/// compute, rounded_operands_bytes() if they multiply in bf16, and nccl_device_memory if NCCL reduces. The
/// device context of the process is not included. Throws what kernel_memory() throws.
double device_memory_need(Config const& config, Workload const& workload, int concurrency, int ranks);

/// Returns the bytes of host memory that one of `ranks` ranks needs if its arrays are in device memory. Two
/// things need this memory: the comparisons of gradients (miniapp/input/comparison_buffers.hpp), of which the
/// larger one counts, and the collectives that MPI carries out through pinned memory. With [allreduce]
/// buffers = "auto" the pinned memory is included, although MPI may say at run time that it accepts device
/// memory. The program and the libraries of the device are not included.
double host_memory_beside_device(Config const& config, Workload const& workload, int ranks,
                                 std::size_t scattered = 0);

/// Returns the memory that one of `ranks` ranks needs in this build, for all commands except `step`. If
/// needs_device_memory() is true, the two members are the results of host_memory_beside_device() and
/// device_memory_need(). Otherwise the need is host_memory_need(). The arguments are those of
/// host_memory_need().
MemoryNeed pass_memory_need(Config const& config, Workload const& workload, int concurrency, int ranks,
                            std::size_t scattered = 0);

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

/// Returns the bytes of host memory that a rank needs for whole steps if its arrays are in host memory.
/// `elements` is the result of allocated_elements(), and `lanes` that of step_lanes(). The results file is
/// not included: rank 0 needs step_results_memory() (miniapp/input/results_need.hpp) in addition.
/// `concurrency` is the concurrency of the execution space.
double step_host_need(Config const& config, std::size_t elements, std::vector<LaneCalls> const& lanes,
                      int concurrency);

/// Returns the bytes of device memory that a rank needs for whole steps. The memory of the libraries is
/// included as in device_memory_need(). The arguments are those of step_host_need().
double step_device_need(Config const& config, std::size_t elements, std::vector<LaneCalls> const& lanes,
                        int concurrency);

/// Returns the bytes of host memory that a rank needs for whole steps if its arrays are in device memory.
/// This is the memory with which MPI carries out collectives through pinned memory. Memory for comparisons is
/// not included, because `step` does not compare gradients of two precisions or wire formats.
double step_host_memory_beside_device(Config const& config, std::vector<LaneCalls> const& lanes);

/// Returns the memory that a rank needs for whole steps in this build. The arguments are those of
/// step_host_need().
MemoryNeed step_memory_need(Config const& config, std::size_t elements, std::vector<LaneCalls> const& lanes,
                            int concurrency);

}  // namespace ddproxy
