// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/step/check/rank_classes.hpp"

#include <map>
#include <set>
#include <string>

namespace ddproxy::model {
namespace {

void add(Violations& violations, std::size_t rank, std::string const& what) {
  violations.push_back({Rule::well_formed, "rank " + std::to_string(rank) + " " + what});
}

/// Returns the members of a communicator. Adds a violation for each rank that is listed twice.
std::set<std::size_t> members_of(RankGraphs const& step, std::size_t communicator, Violations& violations) {
  std::set<std::size_t> members;
  for (auto const& group : step.communicators[communicator].groups)
    for (const std::size_t rank : group)
      if (!members.insert(rank).second)
        add(violations, rank, "is twice in communicator " + std::to_string(communicator));
  return members;
}

}  // namespace

void check_ranks(RankGraphs const& step, Violations& violations) {
  std::map<std::size_t, std::size_t> classes;  // [rank]: how many classes have it
  for (RankClass const& each : step.classes)
    for (const std::size_t rank : each.ranks) ++classes[rank];
  for (std::size_t c = 0; c < step.communicators.size(); ++c)
    for (const std::size_t rank : members_of(step, c, violations)) classes.try_emplace(rank, 0);
  std::size_t next = 0;
  for (auto const& [rank, count] : classes) {
    if (rank != next) add(violations, next, "does not exist, but there is a rank " + std::to_string(rank));
    if (count == 0)
      add(violations, rank, "belongs to no class of ranks; give it the graph that it carries out");
    if (count > 1)
      add(violations, rank, "is listed " + std::to_string(count) + " times in the classes of ranks");
    next = rank + 1;
  }
}

}  // namespace ddproxy::model
