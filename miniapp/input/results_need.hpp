// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "miniapp/input/config.hpp"
#include "miniapp/input/workload.hpp"

namespace ddproxy {

/// Estimates the bytes of the results file of a run with `ranks` ranks. Samples beyond config.samples
/// (max_seconds) are not included.
double results_file_bytes(Config const& config, Workload const& workload, int ranks);

/// Returns the bytes that rank 0 needs for the results file during a flush: the file that HDF5 holds in
/// memory, and the copy that is written to the disk.
double results_memory(Config const& config, Workload const& workload, int ranks);

}  // namespace ddproxy
