// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/predict/graph/equal_ranks.hpp"

#include <algorithm>
#include <utility>

#include "model/step/merged_order.hpp"

namespace ddproxy::model {
namespace {

using Classes = std::vector<std::size_t>;

/// The groups of one communicator, described by the classes of their members.
struct Groups {
  static constexpr std::size_t none = 0;
  std::vector<Classes> classes{{}};  ///< [group]: sorted classes of its members; entry 0 means "no group"
  std::vector<std::size_t> of_rank;  ///< [rank]: index into `classes`

  Groups(Communicator const& communicator, Classes const& class_of) : of_rank(class_of.size(), none) {
    for (auto const& group : communicator.groups) {
      Classes members;
      for (const std::size_t rank : group) {
        members.push_back(class_of[rank]);
        of_rank[rank] = classes.size();
      }
      std::ranges::sort(members);
      classes.push_back(std::move(members));
    }
  }

  bool alike(std::size_t a, std::size_t b) const {
    return of_rank[a] == of_rank[b] || classes[of_rank[a]] == classes[of_rank[b]];
  }
};

}  // namespace

bool ranks_wait_alike(RankGraphs const& step) {
  const Classes class_of = class_of_ranks(step);
  for (Communicator const& communicator : step.communicators) {
    const Groups groups(communicator, class_of);
    for (RankClass const& each : step.classes) {
      const auto alike = [&](std::size_t rank) { return groups.alike(rank, each.ranks.front()); };
      if (!std::ranges::all_of(each.ranks, alike)) return false;
    }
  }
  return true;
}

RankGraphs one_class_a_rank(RankGraphs const& step) {
  RankGraphs result{step.communicators, {}};
  for (RankClass const& each : step.classes) {
    for (const std::size_t rank : each.ranks) result.classes.push_back({each.graph, {rank}});
  }
  return result;
}

}  // namespace ddproxy::model
