// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "kernels/types.hpp"
#include "miniapp/analysis/figure_of_merit.hpp"
#include "miniapp/collectives/make_allreduce.hpp"
#include "miniapp/compute/backward.hpp"
#include "miniapp/input/config.hpp"
#include "miniapp/input/workload.hpp"
#include "miniapp/machine/runtime.hpp"
#include "miniapp/machine/state_probe.hpp"

namespace ddproxy {

/// Everything that measuring needs on this rank.
struct RankContext {
  Config const& config;
  Runtime const& runtime;
  Workload workload;
  kernels::Floats
      arena;  ///< all gradients in ready order; empty where nothing is reduced and nothing computed
  kernels::Floats gradients;  ///< what the backward pass writes: the arena, or with copies memory of its own
  model::Copies copies;       ///< with the speed at which this machine makes them
  std::unique_ptr<Backward> backward;
  std::unique_ptr<Backward> copying;  ///< the backward pass with its copies; null without
  std::unique_ptr<Allreduce> allreduce;
  CallChoice choice;       ///< of the MPI calls (miniapp/measure/calibration/choose_calls.hpp)
  double device_free = 0;  ///< of the run's device before anything was allocated there, bytes
  std::unique_ptr<StateProbe> probe = nullptr;  ///< of the machine's state; null: none

  /// The backward pass of a case: only an overlapped one makes the copies that the input asks for.
  Backward& backward_of(bool overlapped) const { return overlapped && copying ? *copying : *backward; }
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
