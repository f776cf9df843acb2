// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "miniapp/compute/step_lane.hpp"
#include "miniapp/input/step_memory.hpp"
#include "miniapp/measure/pass/rank_context.hpp"

namespace ddproxy {

/// Everything that is needed to measure a whole step on this rank.
///
/// `rank.memory` has the buffers of the step. It begins with the elements that are all-reduced: the buckets,
/// or the gradients themselves if the step does not copy gradients into buckets. `rank.arena` and
/// `rank.gradients` are these elements. So the calibration works on `rank` as it does for the other commands.
/// It overwrites gradients and activations. Call lane->initialise() after it.
struct StepContext {
  model::RankGraphs graphs;  ///< the graphs of the step, checked by model::check()
  double cap_mib = 0;        ///< the cap of the buckets, MiB
  StepPlaces places;         ///< where the buffers of the graph begin in rank.memory
  std::unique_ptr<CompiledStep> step;
  std::unique_ptr<StepLane> lane;
  RankContext rank;  ///< `rank.backward` uses `lane` and `step`, which this object owns
};

/// The seed of the parameters, the same on all ranks. The seed of the tokens is step_seed + 1 + rank.
inline constexpr std::uint32_t step_seed = 774030080;

/// Returns the cap of the buckets of a whole step, in MiB: the first value of [sweep] caps_mib. If the input
/// does not have this key, returns 25 MiB, the default of PyTorch's DistributedDataParallel.
double step_cap_mib(Config const& config);

/// Builds the step of the input and checks its graph. Checks that the memory suffices, allocates it, and
/// makes the lanes. Does not initialise the parameters. `config` and `runtime` must outlive the result.
/// Throws CollectiveError on all ranks, with exit code 2, if the input cannot be run as a whole step. Also
/// throws as make_rank_context() (rank_context.hpp) does. Collective.
StepContext make_step_context(Config const& config, Workload workload, Runtime const& runtime);

/// Returns the predicted memory need of this rank in bytes, without the results file. It is device memory if
/// the run computes on a device, and host memory otherwise.
double step_memory_need(StepContext const& context);

}  // namespace ddproxy
