// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "miniapp/input/cases.hpp"
#include "miniapp/input/config.hpp"
#include "miniapp/input/workload.hpp"
#include "model/step/step_graph.hpp"

namespace ddproxy {

/// Estimates the bytes of the results file of a run of these cases with `ranks` ranks. For `ddproxy step` see
/// step_results_file_bytes(). A run with [sweep] max_seconds may take more than config.samples samples. These
/// additional samples are not included.
double results_file_bytes(Config const& config, Workload const& workload, std::span<Case const> cases,
                          int ranks);

/// Returns the bytes of memory that rank 0 needs for the results file during a flush: for the file that HDF5
/// holds in memory, and for the copy of it that is written to the disk.
double results_memory(Config const& config, Workload const& workload, std::span<Case const> cases, int ranks);

/// Estimates the bytes of the results file of `ddproxy step`. `graph` is the graph of the step, which
/// `processes` processes run. If the all-reduces are replayed, there is one process.
double step_results_file_bytes(Config const& config, Workload const& workload, model::StepGraph const& graph,
                               int processes);

/// Returns the bytes of memory that rank 0 needs to record whole steps: for the results file, plus the larger
/// of two amounts. One is the copy of the file, as in results_memory(). The other is the traces and columns
/// of the timeline of all processes. The arguments are those of step_results_file_bytes().
double step_results_memory(Config const& config, Workload const& workload, model::StepGraph const& graph,
                           int processes);

}  // namespace ddproxy
