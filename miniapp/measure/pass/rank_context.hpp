// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "kernels/types.hpp"
#include "miniapp/analysis/figure_of_merit.hpp"
#include "miniapp/collectives/make_allreduce.hpp"
#include "miniapp/compute/compute_lane.hpp"
#include "miniapp/input/cases.hpp"
#include "miniapp/input/config.hpp"
#include "miniapp/input/memory_need.hpp"
#include "miniapp/input/workload.hpp"
#include "miniapp/machine/runtime.hpp"
#include "miniapp/machine/state_probe.hpp"
#include "miniapp/measure/pass/compiled_step.hpp"

namespace ddproxy {

/// Everything that measuring needs on this rank.
struct RankContext {
  Config const& config;
  Runtime const& runtime;
  Workload workload;
  /// The buffers of a step: the buckets, and behind them the gradients. They are one where the gradients lie
  /// in their buckets. Empty where nothing is reduced and nothing computed.
  kernels::Floats memory;
  kernels::Floats arena;      ///< the part of the memory with the buckets: all gradients in ready order
  kernels::Floats gradients;  ///< the part of the memory that the backward pass writes, in the same order
  model::Copies copies;       ///< with the speed at which this machine makes them
  std::unique_ptr<ComputeLane> backward;
  std::unique_ptr<CommunicationLane> allreduce;
  CallChoice choice;       ///< of the MPI calls (miniapp/measure/calibration/choose_calls.hpp)
  double device_free = 0;  ///< of the run's device before anything was allocated there, bytes
  std::unique_ptr<StateProbe> probe = nullptr;  ///< of the machine's state; null: none

  /// The first element of the gradients in the memory.
  std::size_t gradients_at() const { return memory.extent(0) - gradients.extent(0); }
  /// The first element of each buffer of a graph in the memory.
  std::vector<std::size_t> places(model::StepGraph const& graph) const;
  /// The step of a case on this rank, ready to run.
  CompiledStep compile(Case const& item) const;
  /// The backward pass alone, ready to run.
  CompiledStep compile_backward() const;
  /// All-reduces of slices of the memory, as the input asks for them, with these calls. Collective, within
  /// the limit of the run.
  std::unique_ptr<CommunicationLane> make_allreduce(CallChoice const& with) const;
  /// Whether this run can measure how fast it copies.
  bool copies_for_real() const { return ddproxy::copies_for_real(config); }
  bool reduces() const { return config.backend != Backend::replay; }
  /// Ranks that carry out passes: all of them, or rank 0 alone where the all-reduces are replayed.
  int computing_ranks() const { return reduces() ? runtime.ranks() : 1; }
  bool computes() const { return runtime.rank() < computing_ranks(); }
  /// Seconds of a round trip between cores; NaN where it is unknown, or there is no probe. Collective.
  double probe_state() const { return probe ? probe->measure() : not_available; }
  int ranks() const { return reduces() ? runtime.ranks() : config.ranks; }  ///< n
};

/// Collective. Throws CollectiveError (exit 2; 4 for a device's memory) where the memory does not suffice,
/// before allocating, or where a replayed all-reduce is started with several ranks.
RankContext make_rank_context(Config const& config, Workload workload, Runtime const& runtime);

}  // namespace ddproxy
