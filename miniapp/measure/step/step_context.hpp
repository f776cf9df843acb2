// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>

#include "miniapp/compute/step_lane.hpp"
#include "miniapp/input/step_memory.hpp"
#include "miniapp/measure/pass/rank_context.hpp"
#include "model/cost/step_work.hpp"

namespace ddproxy {

/// Everything that measuring a whole step needs on this rank. `rank.memory` has the buffers of the step; the
/// gradients that are reduced come first there, and `rank.arena` is these gradients. So the functions that
/// calibrate work on `rank` as they do for the other commands. They overwrite gradients: call
/// kernels->initialise() after them.
///
/// Each of compute and all-reduces may be replayed. With replayed all-reduces the step is that of one of
/// `[allreduce] ranks` ranks, and one rank runs. With replayed compute `rank.memory` has only the gradients
/// that are reduced; it is empty if both are replayed.
struct StepContext {
  model::RankGraphs graphs;  ///< checked by model::check()
  double cap_mib = 0;        ///< largest size of a bucket, MiB
  StepPlaces places;
  std::unique_ptr<CompiledStep> step;
  std::unique_ptr<ComputeLane> lane;
  StepLane* kernels = nullptr;              ///< `lane`, if it computes; null if compute is replayed
  std::optional<model::PhaseCosts> phases;  ///< the times of replayed compute; nothing if the kernels compute
  RankContext rank;
};

/// The seed of the parameters, the same on all ranks.
inline constexpr std::uint32_t step_seed = 774030080;

/// Builds and checks the step of the input, checks the memory, allocates it and makes the lanes. The
/// parameters are not initialised. Throws CollectiveError on all ranks: with exit code 2 if the input cannot
/// be run as a whole step, and as make_rank_context() does. Collective.
StepContext make_step_context(Config const& config, Workload workload, Runtime const& runtime);

/// Returns whether the memory of the step is that of a device.
bool needs_device_memory(Config const& config);

/// Returns the bytes that were predicted for this rank, without the results file: of host memory, or of
/// device memory if needs_device_memory() is true.
double step_memory_need(StepContext const& context);

}  // namespace ddproxy
