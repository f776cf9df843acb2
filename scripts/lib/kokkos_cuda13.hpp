// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Kokkos 4.7.00 calls two functions of the CUDA runtime as they were before CUDA 13. These overloads take the
// old arguments and hand them to the new functions. scripts/setup copies this file into Kokkos' sources;
// from 4.7.01 on Kokkos needs no such help.
#ifndef DDPROXY_KOKKOS_CUDA13_HPP
#define DDPROXY_KOKKOS_CUDA13_HPP

#include <cuda_runtime.h>

#include <cstddef>

#if CUDART_VERSION >= 13000
inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                            const cudaGraphNode_t* to, std::size_t count) {
  return cudaGraphAddDependencies(graph, from, to, nullptr, count);
}

// DEVICE is a device's number, or cudaCpuDeviceId for the host's memory.
inline cudaError_t cudaMemPrefetchAsync(const void* data, std::size_t bytes, int device,
                                        cudaStream_t stream) {
  cudaMemLocation location{};
  location.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  location.id = device == cudaCpuDeviceId ? 0 : device;
  return cudaMemPrefetchAsync(data, bytes, location, 0u, stream);
}
#endif

#endif
