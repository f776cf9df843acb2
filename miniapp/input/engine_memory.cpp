// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/input/engine_memory.hpp"

#include <algorithm>

#include "miniapp/input/wire_format.hpp"

namespace ddproxy {
namespace {

// Memory that Open MPI 4.1 allocates for an in-place nonblocking reduction, divided by the bytes of the
// message. The number was measured.
constexpr double mpi_temporaries = 1.5;
// Largest number of freed bytes that the heap of a thread keeps (miniapp/machine/freed_memory.hpp).
constexpr double kept_by_heap = 64 << 20;

double bytes_of(EngineBuffers const& buffers) {
  return static_cast<double>(buffers.rounded) * wire_element_bytes(WireFormat::bf16) +
         static_cast<double>(buffers.results + buffers.pinned) * gradient_element_bytes;
}

// Returns the bytes that the calls of a lane write in the buffers of the MPI engine. Only these count,
// because the operating system provides memory only when it is written. No call writes more elements than its
// own size. Pinned memory is provided when it is allocated, so it counts as a whole.
double written_bytes(EngineBuffers const& buffers, MostElements const& most) {
  return bytes_of(
      {std::min(buffers.rounded, most.of_call), std::min(buffers.results, most.scattered), buffers.pinned});
}

// Returns the bytes that MPI allocates during the largest call.
double allocated_in_call(Config const& config, LaneCalls const& lane) {
  if (lane.ranks < 2) return 0;
  const auto piece = static_cast<double>(std::min(lane.most.of_call, piece_elements(config)));
  return mpi_temporaries * piece * wire_element_bytes(config.wire);
}

// Returns the bytes that collectives over MPI need in addition to the buffers of the step. The result has
// three terms. The first term is the buffers of the engines of all lanes. The second term is the memory that
// MPI allocates during the largest call, or `between_calls` if that is more. The third term is freed memory:
// the main thread and the communication thread both carry out calls, and while one of them does, the heap of
// the other one keeps up to kept_by_heap bytes that MPI has freed. `buffers_of` returns the buffers of an
// engine.
double memory_of_lanes(Config const& config, std::vector<LaneCalls> const& lanes, double between_calls,
                       EngineBuffers (*buffers_of)(WireFormat, std::size_t, int)) {
  double buffers = 0, in_call = 0;
  for (auto const& lane : lanes) {
    buffers += written_bytes(buffers_of(config.wire, piece_elements(config), lane.ranks), lane.most);
    in_call = std::max(in_call, allocated_in_call(config, lane));
  }
  return buffers + std::max(in_call, between_calls) + std::min(in_call, kept_by_heap);
}

}  // namespace

double engine_memory(Config const& config, std::vector<LaneCalls> const& lanes, double between_calls) {
  if (config.backend == Backend::mpi) return memory_of_lanes(config, lanes, between_calls, buffers_of_mpi);
  double buffers = 0;
  if (config.backend == Backend::nccl)
    for (auto const& lane : lanes) buffers += bytes_of(buffers_of_nccl(config.wire, lane.most));
  return buffers + between_calls;
}

double staged_memory(Config const& config, std::vector<LaneCalls> const& lanes, double between_calls) {
  if (config.backend != Backend::mpi || config.buffers == Buffers::direct) return between_calls;
  return memory_of_lanes(config, lanes, between_calls, buffers_of_staged_mpi);
}

}  // namespace ddproxy
