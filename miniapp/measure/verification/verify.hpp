// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "miniapp/input/workload.hpp"
#include "miniapp/machine/runtime.hpp"
#include "miniapp/measure/pass/run_step.hpp"

namespace ddproxy {

/// Checks the step graphs of a case before anything runs, with model::unfit_for_sweep()
/// (model/step/strategies/named_strategy.hpp) and model::check() (model/step/check/check.hpp). For example,
/// every bucket must wait for its gradients, and every gradient must be averaged once. Returns a message for
/// the first violation, or an empty text if there is none.
std::string verify_graphs(model::RankGraphs const& graphs);

/// Runs a step and checks on this rank:
///   - that the buckets were reduced in the order of issue;
///   - that each gradient was reduced exactly once;
///   - that no bucket started before the operators that complete its gradients had ended.
/// The communication lane counts the elements that it hands to the library, so the check finds an element
/// that is reduced twice. Returns a message for the first error, or an empty text if there is none.
/// Collective.
std::string verify_order(Workload const& workload, CompiledStep& step, ComputeLane& compute,
                         CommunicationLane& allreduce);

/// The memory of a step, and where its buffers and gradients lie in it.
struct PlacedMemory {
  std::span<float> memory;
  std::vector<std::size_t> places;  ///< index in `memory` of the first element of each buffer of the graph
  std::size_t gradients_at;         ///< index in `memory` of the first gradient element
};

/// Fills the memory with NaN and runs verify_order() with operators that write known integers
/// (VerificationLane). Then checks every element of each buffer that must hold averaged gradients at the end
/// of the step. Buffer::at_exit in the graph says which buffers these are. Returns a message if this rank
/// finds an error, or an empty text if not. Collective.
std::string verify_numbers(Runtime const& runtime, Workload const& workload, CompiledStep& step,
                           PlacedMemory const& where, CommunicationLane& allreduce);

}  // namespace ddproxy
