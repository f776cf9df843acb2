// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "miniapp/input/config.hpp"
#include "miniapp/input/kernel_memory.hpp"
#include "miniapp/input/workload.hpp"

namespace ddproxy {

/// Returns false where neither compute nor all-reduce touches a gradient.
bool needs_arena(Config const& config);

/// Returns true if the backward pass copies gradients into buckets. A replayed pass only takes the time.
bool copies_for_real(Config const& config);

/// Returns the elements of the memory that a rank allocates for the buffers of a step: the gradients, and
/// buckets beside them where this run copies gradients into buckets. 0 if all times are replayed. The
/// allocation and the predicted need both use it.
std::size_t step_elements(Config const& config, Workload const& workload);

/// Bytes of memory that rank 0 needs, one of `ranks`; the others need less by results_memory(), as rank 0
/// holds the results file. `concurrency`: of the execution space. Throws as kernel_memory().
double host_memory_need(Config const& config, Workload const& workload, int concurrency, int ranks = 2);

/// The same of a device's memory; what its libraries (cuBLAS, NCCL) take for themselves is not in it.
double device_memory_need(Config const& config, Workload const& workload, int concurrency);

}  // namespace ddproxy
