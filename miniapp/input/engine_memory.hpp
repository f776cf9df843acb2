// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "miniapp/input/config.hpp"
#include "miniapp/input/engine_buffers.hpp"

namespace ddproxy {

/// Returns the bytes that the collectives of `lanes` need in addition to the buffers of the step: the buffers
/// of the engines, and the memory that MPI allocates during a call. With NCCL this is device memory. With MPI
/// it is host memory, and the buffers of the step are in host memory, too. Returns 0 if collectives are
/// replayed.
double engine_memory(Config const& config, std::vector<LaneCalls> const& lanes);

/// Returns the bytes of host memory that the collectives of `lanes` need if the buffers of the step are in
/// device memory and MPI works on staged copies. Returns 0 with another backend, and with [allreduce] buffers
/// = "direct". With buffers = "auto" it returns the bytes of staged copies, because only MPI knows, at run
/// time, whether it takes device memory.
double staged_memory(Config const& config, std::vector<LaneCalls> const& lanes);

}  // namespace ddproxy
