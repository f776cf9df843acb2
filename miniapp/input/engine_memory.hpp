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
/// `between_calls` is the number of bytes of host memory that the main thread allocates while no call runs.
/// MPI has then freed what it allocated for the largest call, and the heap of the main thread uses the same
/// memory again. So the result has only the larger of two numbers: `between_calls`, and the bytes that MPI
/// allocates during the largest call. It also has up to 64 MiB of freed memory that a heap keeps. Without
/// MPI, `between_calls` is added.
double engine_memory(Config const& config, std::vector<LaneCalls> const& lanes, double between_calls = 0);

/// Returns the bytes of host memory that the collectives of `lanes` need if the buffers of the step are in
/// device memory and MPI works on staged copies. With another backend, or with [allreduce] buffers =
/// "direct", there are no staged copies, and the result is `between_calls`. With buffers = "auto" the staged
/// copies are counted, because only MPI knows, at run time, whether it accepts device memory. engine_memory()
/// explains `between_calls`.
double staged_memory(Config const& config, std::vector<LaneCalls> const& lanes, double between_calls = 0);

}  // namespace ddproxy
