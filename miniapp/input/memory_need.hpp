// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "miniapp/input/buffer_list.hpp"
#include "miniapp/input/config.hpp"

namespace ddproxy {

/// Device memory that the BLAS library and NCCL take for themselves, in bytes for each rank. The two numbers
/// are estimates; together they are 640 MiB. Only their sum was measured, once, with one rank on an H200
/// (2026-11-26): 652 MiB in addition to the arrays. A run on a GPU measures both numbers
/// (/provenance/blas_memory and nccl_memory in docs/results.md).
inline constexpr double blas_device_memory = 128.0 * 1024 * 1024;
inline constexpr double nccl_device_memory = 512.0 * 1024 * 1024;

/// The memory that a rank needs, in bytes. The results file is not included: rank 0 holds it in host memory,
/// and needs results_memory() or step_results_memory() (miniapp/input/results_need.hpp) in addition.
struct MemoryNeed {
  /// Host memory. If the arrays are in device memory, the program and the libraries of the device are not
  /// included.
  double host;
  /// Device memory, if the arrays are in device memory. Includes the memory of the libraries
  /// (blas_device_memory, nccl_device_memory), but not the device context of the process.
  std::optional<double> device;
};

/// Returns the sum of ListedBuffer::written over all buffers of this use in this memory. These bytes count in
/// a prediction.
double written_bytes(RankBuffers const& buffers, BufferUse use, MemoryKind memory);

/// Returns the memory that a rank with these buffers needs. In addition to the rows of the list and the
/// program, the host memory has two parts:
///
/// - What MPI allocates during the largest call, or the arrays of a comparison of gradients. MPI has freed
///   its memory before the comparison of wire formats starts, and the heap of the main thread uses it again.
///   So only the larger of the two counts. The comparison of precisions keeps its arrays while MPI is called,
///   so it counts together with MPI's memory. The two comparisons are not in memory at the same time.
/// - Up to 64 MiB of freed memory. The main thread and the communication thread both carry out calls. While
///   one of them does, the heap of the other one keeps what MPI has freed.
MemoryNeed memory_need(Config const& config, RankBuffers const& buffers);

/// Returns the memory that rank 0 needs, in bytes. If its arrays are in device memory, this is `need.device`.
/// Otherwise this is the sum of `need.host` and `file_need`, the bytes that the results file needs. The
/// results file is always in host memory.
double need_with_results_file(MemoryNeed const& need, double file_need);

}  // namespace ddproxy
