// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "miniapp/input/config.hpp"
#include "miniapp/input/engine_buffers.hpp"

namespace ddproxy {

/// Returns the bytes that the collectives of `lanes` need in addition to the buffers of the step: the buffers
/// of the engines, and the memory that MPI allocates during a call. With NCCL this is device memory. With MPI
/// it is host memory, and the buffers of the step are in host memory, too. Replayed collectives need none.
///
/// `between_calls` are the bytes of host memory that the main thread allocates at a time when MPI has freed
/// what it allocated for the largest call. Both take the same place in the heap of the main thread, so the
/// larger of the two counts. Without MPI, `between_calls` is added.
double engine_memory(Config const& config, std::vector<LaneCalls> const& lanes, double between_calls = 0);

/// Returns the bytes of host memory that the collectives of `lanes` need if the buffers of the step are in
/// device memory and MPI works on staged copies. These need none with another backend, and with [allreduce]
/// buffers = "direct". With buffers = "auto" it returns the bytes of staged copies, because only MPI knows,
/// at run time, whether it takes device memory. `between_calls` is that of engine_memory().
double staged_memory(Config const& config, std::vector<LaneCalls> const& lanes, double between_calls = 0);

}  // namespace ddproxy
