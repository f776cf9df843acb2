// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "kernels/types.hpp"
#include "miniapp/machine/runtime.hpp"
#include "miniapp/measure/pass/pipeline.hpp"
#include "model/step/strategies/ddp.hpp"

namespace ddproxy {

/// Checks the step graph of a case (model/step) on `ranks` ranks before anything runs: that every bucket
/// waits for its gradients, that every gradient is averaged once, and more. Returns what is wrong, empty
/// where nothing is.
std::string verify_step(Workload const& workload, model::Ddp const& strategy, std::size_t ranks);

/// Runs a pass through `backward` and `allreduce` and checks on this rank that each gradient was reduced
/// once, in ready order, not before the operation that completes it had ended; that the library was given
/// each element once is counted. Returns what is wrong, empty where nothing is.
std::string verify_order(Workload const& workload, Schedule const& schedule, Backward& backward,
                         Allreduce& allreduce);

/// verify_order() of a pass that writes known integers into the poisoned arena, and then the arena, element
/// by element.
std::string verify_numbers(Runtime const& runtime, Workload const& workload, Schedule const& schedule,
                           kernels::Floats arena, Allreduce& allreduce);

/// The same with copies: the integers go to `gradients`, and, with `back`, what returned there is checked.
std::string verify_copied_numbers(Runtime const& runtime, Workload const& workload, Schedule const& schedule,
                                  kernels::Floats gradients, kernels::Floats arena, bool back,
                                  Allreduce& allreduce);

}  // namespace ddproxy
