// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "miniapp/input/config.hpp"
#include "miniapp/input/kernel_memory.hpp"
#include "miniapp/input/step_memory.hpp"
#include "miniapp/input/workload.hpp"

namespace ddproxy {

/// Returns whether compute or the all-reduces use gradients in memory. They do not if both are replayed.
bool needs_arena(Config const& config);

/// Returns whether the backward pass really copies gradients into buckets. A replayed pass only takes the
/// time of the copies.
bool copies_for_real(Config const& config);

/// Returns the elements of the memory that a rank allocates for the buffers of a step: the gradients, and as
/// many elements again for the buckets if this run copies gradients into buckets. Returns 0 if all times are
/// replayed. Both the allocation and the predicted need use it.
std::size_t step_elements(Config const& config, Workload const& workload);

/// Returns the bytes of host memory that rank 0 of `ranks` ranks needs. Only rank 0 holds the results file,
/// so the other ranks need results_memory() less. `concurrency` is the concurrency of the execution space.
/// Throws as kernel_memory() does.
double host_memory_need(Config const& config, Workload const& workload, int concurrency, int ranks = 2);

/// Returns the bytes of device memory that a rank needs. The memory that cuBLAS and NCCL use for themselves
/// is not included. Throws as kernel_memory() does.
double device_memory_need(Config const& config, Workload const& workload, int concurrency);

/// Returns the elements that a rank allocates for whole steps whose buffers lie at `places`: all buffers if
/// the kernels compute, the gradients if only the all-reduces are real, and none if both are replayed.
std::size_t allocated_elements(Config const& config, Workload const& workload, StepPlaces const& places);

/// Returns the bytes of host memory that a rank of `ranks` ranks needs for whole steps, without the results
/// file. `elements` are allocated_elements(). Throws as kernel_memory() does.
double step_host_need(Config const& config, std::size_t elements, std::int64_t gradient_bytes,
                      int concurrency, int ranks);

/// Returns the bytes of device memory that a rank needs for whole steps. Throws as kernel_memory() does.
double step_device_need(Config const& config, std::size_t elements, std::int64_t gradient_bytes,
                        int concurrency);

}  // namespace ddproxy
