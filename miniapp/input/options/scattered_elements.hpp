// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "miniapp/input/options/options.hpp"
#include "miniapp/input/workload.hpp"

namespace ddproxy {

/// Returns the number of elements that the largest reduce-scatter of `ddproxy collectives` on `ranks` ranks
/// writes to EngineBuffers::results of the MPI engine (miniapp/input/engine_buffers.hpp). Returns 0 for other
/// commands, if --op names no reduce-scatter, and with wire = "bf16", because messages in bf16 have another
/// buffer.
std::size_t scattered_elements(Options const& options, Config const& config, Workload const& workload,
                               int ranks);

}  // namespace ddproxy
