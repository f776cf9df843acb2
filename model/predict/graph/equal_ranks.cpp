// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/predict/graph/equal_ranks.hpp"

#include <algorithm>

#include "model/step/merged_order.hpp"

namespace ddproxy::model {
namespace {

using Classes = std::vector<std::size_t>;

/// The classes in each rank's group, sorted; empty where it has none. [rank]
std::vector<Classes> met_by_ranks(Communicator const& communicator, Classes const& class_of) {
  std::vector<Classes> met(class_of.size());
  for (auto const& group : communicator.groups) {
    Classes classes;
    for (const std::size_t rank : group) classes.push_back(class_of[rank]);
    std::ranges::sort(classes);
    for (const std::size_t rank : group) met[rank] = classes;
  }
  return met;
}

}  // namespace

bool ranks_wait_alike(RankGraphs const& step) {
  const Classes class_of = class_of_ranks(step);
  for (Communicator const& communicator : step.communicators) {
    const auto met = met_by_ranks(communicator, class_of);
    for (RankClass const& each : step.classes) {
      const auto differs = [&](std::size_t rank) { return met[rank] != met[each.ranks.front()]; };
      if (std::ranges::any_of(each.ranks, differs)) return false;
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
