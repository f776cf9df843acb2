// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "miniapp/input/config.hpp"
#include "model/cost/allreduce_cost.hpp"
#include "model/transformer/gpt2.hpp"

namespace ddproxy {

/// What a run works on: the operations of the backward pass, the gradients they complete, and what is known
/// of their cost.
struct Workload {
  model::BackwardPass pass;  ///< with replayed layer or gradient times: an operation a row of that file
  std::vector<std::int64_t> gradient_bytes;  ///< in ready order
  std::vector<double>
      operation_seconds;       ///< of the roofline or of compute.times; empty where neither is given
  std::int64_t bytes() const;  ///< of all gradients
  WireFormat wire = WireFormat::fp32;
};

/// Throws std::invalid_argument where compute.times does not fit the model.
Workload make_workload(Config const& config);

/// False where neither compute nor all-reduce touches a gradient.
bool needs_arena(Config const& config);

/// Returns the elements of the memory that a rank allocates for the buffers of a step: the gradients, and
/// buckets beside them where this run copies gradients into buckets. 0 if all times are replayed. The
/// allocation and the predicted need both use it.
std::size_t step_elements(Config const& config, Workload const& workload);

/// Bytes of memory that rank 0 needs, one of `ranks`; the others need less by results_memory(), as rank 0
/// holds the results file. `concurrency`: of the execution space. Throws as kernel_memory().
double host_memory_need(Config const& config, Workload const& workload, int concurrency, int ranks = 2);

/// The same of a device's memory; what its libraries (cuBLAS, NCCL) take for themselves is not in it.
double device_memory_need(Config const& config, Workload const& workload, int concurrency);

/// r_i: the running sum of the operations' seconds up to the one that completes gradient i.
std::vector<double> ready_times(model::BackwardPass const& pass,
                                std::vector<double> const& operation_seconds);

/// The all-reduce table of the input, by bytes on the wire; nothing where it names none.
std::optional<model::TableCost> input_cost(Config const& config);

}  // namespace ddproxy
