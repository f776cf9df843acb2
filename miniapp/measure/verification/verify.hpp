// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "kernels/types.hpp"
#include "miniapp/input/workload.hpp"
#include "miniapp/machine/runtime.hpp"
#include "miniapp/measure/pass/run_step.hpp"

namespace ddproxy {

/// Checks the step graphs of a case (model/step/check) before anything runs: that every bucket waits for its
/// gradients, that every gradient is averaged once, and more. Returns what is wrong, empty where nothing is.
std::string verify_graphs(model::RankGraphs const& graphs);

/// Runs a step and checks on this rank that the buckets were reduced in the order of issue, and each gradient
/// once and not before the operator that completes it had ended. The library's own count tells whether it was
/// given each element once. Returns what is wrong, empty where nothing is.
std::string verify_order(Workload const& workload, CompiledStep& step, ComputeLane& compute,
                         CommunicationLane& allreduce);

/// Where the buffers of a step lie.
struct StepMemory {
  kernels::Floats memory;
  std::vector<std::size_t> places;  ///< the first element of each buffer of the graph
  std::size_t gradients_at;         ///< the first element of the gradients
};

/// Fills the memory with NaN and runs verify_order() on a step whose operators write known integers. Then
/// checks, element by element, each buffer that holds averaged gradients at the end of the step by its own
/// declaration (Buffer::at_exit). Collective.
std::string verify_numbers(Runtime const& runtime, Workload const& workload, CompiledStep& step,
                           StepMemory const& where, CommunicationLane& allreduce);

}  // namespace ddproxy
