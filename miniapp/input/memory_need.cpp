// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/input/memory_need.hpp"

#include <algorithm>

namespace ddproxy {
namespace {

constexpr double program_bytes =
    39e6;  // bytes of code, MPI and run-time libraries: 38e6 for one rank, 40e6 for the first of several
// Largest number of freed bytes that the heap of a thread keeps (miniapp/machine/freed_memory.hpp).
constexpr double kept_by_heap = 64 << 20;

bool is_comparison(ListedBuffer const& row) {
  return row.use == BufferUse::precisions || row.use == BufferUse::wire_formats;
}

// Returns the bytes of the buffers that exist during the samples.
double lasting_bytes(RankBuffers const& buffers, MemoryKind memory) {
  double bytes = 0;
  for (auto const& row : buffers.rows)
    if (row.memory == memory && !is_comparison(row)) bytes += row.written;
  return bytes;
}

double host_bytes(RankBuffers const& buffers) {
  const double in_call = buffers.mpi_in_call;
  constexpr auto host = MemoryKind::host;
  return lasting_bytes(buffers, host) +
         std::max(written_bytes(buffers, BufferUse::precisions, host) + in_call,
                  written_bytes(buffers, BufferUse::wire_formats, host)) +
         std::min(in_call, kept_by_heap);
}

double library_bytes(Config const& config) {
  return (config.compute == ComputeMode::kernels ? blas_device_memory : 0) +
         (config.backend == Backend::nccl ? nccl_device_memory : 0);
}

}  // namespace

double written_bytes(RankBuffers const& buffers, BufferUse use, MemoryKind memory) {
  double bytes = 0;
  for (auto const& row : buffers.rows)
    if (row.use == use && row.memory == memory) bytes += row.written;
  return bytes;
}

MemoryNeed memory_need(Config const& config, RankBuffers const& buffers) {
  if (buffers.arrays == MemoryKind::host) return {program_bytes + host_bytes(buffers), std::nullopt};
  return {host_bytes(buffers), library_bytes(config) + lasting_bytes(buffers, MemoryKind::device)};
}

double need_with_results_file(MemoryNeed const& need, double file_need) {
  return need.device.value_or(need.host + file_need);
}

}  // namespace ddproxy
