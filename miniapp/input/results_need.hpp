// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "miniapp/input/config.hpp"
#include "miniapp/input/workload.hpp"

namespace ddproxy {

/// Bytes of the results file of a run over so many ranks, about. Samples beyond `samples` (max_seconds) are
/// not in it.
double results_file_bytes(Config const& config, Workload const& workload, int ranks);

/// Bytes that rank 0 holds of it during a flush: HDF5's file in memory, and the image that is written.
double results_memory(Config const& config, Workload const& workload, int ranks);

}  // namespace ddproxy
