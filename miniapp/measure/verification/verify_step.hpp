// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "miniapp/machine/runtime.hpp"
#include "miniapp/measure/pass/run_step.hpp"
#include "model/transformer/gpt2.hpp"

namespace ddproxy {

/// A compiled step of this rank, and what it runs on. Owns nothing.
struct StepToVerify {
  CompiledStep& step;
  std::span<const std::size_t> places;    ///< the places with which the step was compiled
  std::vector<GroupPlace> const& groups;  ///< the groups with which the step was compiled
  std::span<float> memory;                ///< the memory of the step
  std::span<CommunicationLane* const> lanes;
  bool rounds = false;  ///< the lanes round gradients to bf16
};

/// Fills the memory with NaN and runs the step once on its lanes, with operators that write exact numbers
/// (ExactLane, exact_lane.hpp). Checks on this rank, element by element:
///   - what tasks read: parameters (gathered or not), activations, and the reduced gradients and optimizer
///     states that the norm, the clipping and the update read;
///   - after the step, every buffer that must hold parameters, gradients or optimizer states, complete or as
///     this rank's shard;
///   - that elements that are not in use are still NaN.
/// Then checks the order as verify_step_order() does. Returns a message for the first error, or an empty text
/// if there is none. The memory holds NaN and exact numbers afterwards. Collective.
std::string verify_step_numbers(Runtime const& runtime, StepToVerify const& what,
                                model::BackwardPass const& pass);

/// Runs the step once on its lanes and on `compute`, and checks on this rank:
///   - that each lane carried out the collectives of the step, in their order;
///   - that the number of elements that were handed to the library is right for each verb;
///   - that no task started before the tasks that it waits for had ended.
/// Returns a message for the first error, or an empty text if there is none. Collective.
std::string verify_step_order(Runtime const& runtime, StepToVerify const& what, ComputeLane& compute);

}  // namespace ddproxy
