// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/measure/step/step_groups.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "miniapp/errors/errors.hpp"

namespace ddproxy {
namespace {

GroupPlace place_of(model::Communicator const& communicator, int rank) {
  for (std::size_t g = 0; g < communicator.groups.size(); ++g) {
    auto const& ranks = communicator.groups[g];
    const auto found = std::ranges::find(ranks, static_cast<std::size_t>(rank));
    if (found != ranks.end())
      return {static_cast<int>(found - ranks.begin()), static_cast<int>(ranks.size()), static_cast<int>(g)};
  }
  throw std::logic_error("rank " + std::to_string(rank) + " is in no group of a communicator of the step");
}

bool has_all_in_order(model::Communicator const& communicator) {
  if (communicator.groups.size() != 1) return false;
  auto const& ranks = communicator.groups.front();
  for (std::size_t place = 0; place < ranks.size(); ++place)
    if (ranks[place] != place) return false;
  return true;
}

}  // namespace

StepGroups::StepGroups(model::RankGraphs const& graphs, Runtime const& runtime, bool replayed) {
  for (auto const& communicator : graphs.communicators) add(communicator, runtime, replayed);
}

void StepGroups::add(model::Communicator const& communicator, Runtime const& runtime, bool replayed) {
  const GroupPlace mine = place_of(communicator, replayed ? 0 : runtime.rank());
  const bool world = has_all_in_order(communicator);
  places_.push_back(mine);
  communicators_.push_back(replayed ? MPI_COMM_NULL : runtime.communicator());
  if (replayed || world) return;  // an engine duplicates the communicator that it gets
  const auto limit = runtime.limited("MPI_Comm_split");
  check_mpi(MPI_Comm_split(runtime.communicator(), mine.group, mine.rank, &communicators_.back()));
  owned_.push_back(communicators_.back());
}

StepGroups::~StepGroups() {
  for (MPI_Comm& communicator : owned_) MPI_Comm_free(&communicator);
}

void StepGroups::swap(StepGroups& other) noexcept {
  communicators_.swap(other.communicators_);
  places_.swap(other.places_);
  owned_.swap(other.owned_);
}

}  // namespace ddproxy
