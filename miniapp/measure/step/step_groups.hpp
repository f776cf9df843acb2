// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <vector>

#include "miniapp/collectives/drivers/collective_call.hpp"
#include "miniapp/machine/runtime.hpp"
#include "model/step/step_graph.hpp"

namespace ddproxy {

/// The communicators of a step's graphs as communicators of MPI, and this rank's places in their groups.
///
/// Problem: a sharded step may have several communicators. Two of them may have the same ranks: one for
/// gathers, and one for reductions that run at the same time. If both used a single communicator of MPI, all
/// ranks would have to call the gathers and the reductions in the same order. So each lane makes a
/// communicator of its own from the one that this class returns.
///
/// A communicator that has all ranks in one group, in their order, is represented by the communicator of the
/// runtime. If all collectives are replayed, one process carries out the step of rank 0, and there is no
/// communicator of MPI.
class StepGroups {
 public:
  /// Makes an object without communicators.
  StepGroups() = default;
  /// Splits the ranks of `runtime` as the graphs say. Each rank must be in exactly one group of each
  /// communicator. `replayed`: all collectives are replayed. Collective. Throws std::logic_error if a rank is
  /// in no group.
  StepGroups(model::RankGraphs const& graphs, Runtime const& runtime, bool replayed);
  /// Frees the communicators. Collective.
  ~StepGroups();
  StepGroups(StepGroups&& other) noexcept { swap(other); }
  StepGroups& operator=(StepGroups&& other) noexcept {
    swap(other);
    return *this;
  }
  StepGroups(StepGroups const&) = delete;  // not copyable: the object owns the communicators
  StepGroups& operator=(StepGroups const&) = delete;

  /// Returns this rank's place in its group of each communicator, [communicator].
  std::vector<GroupPlace> const& places() const { return places_; }
  /// Returns the communicator of MPI that represents communicator `id` of the graphs on this rank. Returns
  /// MPI_COMM_NULL if all collectives are replayed. If a communicator has all ranks in one group, in their
  /// order, the runtime owns it; otherwise this object owns it.
  MPI_Comm communicator(model::CommunicatorId id) const { return communicators_.at(model::index(id)); }

 private:
  void swap(StepGroups& other) noexcept;
  void add(model::Communicator const& communicator, Runtime const& runtime, bool replayed);

  std::vector<MPI_Comm> communicators_;  // [communicator]
  std::vector<GroupPlace> places_;       // [communicator]
  std::vector<MPI_Comm> owned_;          // the communicators that the destructor frees
};

}  // namespace ddproxy
