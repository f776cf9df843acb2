// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "miniapp/compute/compute_lane.hpp"
#include "miniapp/input/step_memory.hpp"
#include "miniapp/input/step_strategy.hpp"
#include "miniapp/measure/pass/rank_context.hpp"
#include "miniapp/measure/step/step_groups.hpp"
#include "model/cost/step_work.hpp"

namespace ddproxy {

class StepLane;

/// Everything that is needed to measure a whole step on this rank.
///
/// `rank.memory` has the buffers of the step. It begins with the elements that are all-reduced: the buckets,
/// or the gradients themselves if the step does not copy gradients into buckets. `rank.arena` and
/// `rank.gradients` are these elements. So the calibration works on `rank` as it does for the other commands.
/// The calibration overwrites gradients and activations. Call kernels->initialise() after it.
///
/// Compute and all-reduces can each be replayed. If the all-reduces are replayed, a single process runs the
/// step of rank 0; the input key `[allreduce] ranks` is the number of ranks. If compute is replayed,
/// `rank.memory` has only the elements that are all-reduced. If both are replayed, `rank.memory` is empty.
///
/// A sharded step divides optimizer states among the ranks; it may also divide gradients and parameters. It
/// may have several communicators, and has lanes of its own. `rank.memory` then begins with the buffers that
/// the operators of contention runs do not use, and `rank.arena` is this part of it. The calibration thus
/// overwrites parameters, too. If compute is replayed, `rank.memory` has only the buffers that collectives
/// use.
struct StepContext {
  model::Strategy asked;       ///< the step that the input asks for
  model::RankGraphs graphs;    ///< the graphs of the step, checked by model::check()
  std::size_t rank_class = 0;  ///< index of this rank's graph in `graphs.classes`
  double cap_mib = 0;          ///< the cap of the buckets, MiB
  StepPlaces places;           ///< where the buffers of the graph begin in rank.memory
  StepGroups groups;           ///< the communicators of the graph, and this rank's places in them
  std::unique_ptr<CompiledStep> step;
  std::unique_ptr<ComputeLane> lane;
  StepLane* kernels = nullptr;              ///< `lane` if it computes; null if compute is replayed
  std::optional<model::PhaseCosts> phases;  ///< the times of replayed compute; nothing if the kernels compute
  RankContext rank;  ///< `rank.backward` uses `lane` and `step`, which this object owns
  /// The communication lanes of a sharded step, in the order of CompiledStep::lanes(). Empty if the step is
  /// not sharded.
  std::vector<std::unique_ptr<CommunicationLane>> own_lanes = {};

  /// Returns this rank's graph.
  model::StepGraph const& graph() const { return graphs.classes[rank_class].graph; }
  /// Returns the lanes for run_step(): `own_lanes`, or `rank.allreduce`. They are valid until make_lanes() or
  /// choose_mpi_calls().
  std::vector<CommunicationLane*> lanes() const;
  /// Makes `own_lanes` with the MPI calls of `rank.choice`, if the step is sharded. Call it again after
  /// choose_mpi_calls(). Throws as make_group_lanes() (make_allreduce.hpp) does. Collective.
  void make_lanes();
};

/// The seed of the parameters, the same on all ranks. The seed of the tokens is step_seed + 1 + rank.
inline constexpr std::uint32_t step_seed = 774030080;

/// Builds the step of the input and checks its graph. Checks that the memory suffices, allocates it, and
/// makes the lanes. Does not initialise the parameters. `config` and `runtime` must outlive the result.
/// Throws CollectiveError on all ranks, with exit code 2, if the input cannot be run as a whole step. Also
/// throws as make_rank_context() (rank_context.hpp) does. Collective.
StepContext make_step_context(Config const& config, Workload workload, Runtime const& runtime);

/// Returns the memory, in bytes, that rank 0 is predicted to need for the steps and the results file, as
/// need_with_results_file() (miniapp/input/memory_need.hpp) computes it.
double step_need_with_results_file(StepContext const& context);

}  // namespace ddproxy
