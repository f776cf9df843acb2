// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/step/check/collective_rules.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/step/describe.hpp"
#include "model/step/merged_order.hpp"

namespace ddproxy::model {
namespace {

/// Checks the roots and peers of one class of ranks.
class RootsAndPeers {
 public:
  RootsAndPeers(RankGraphs const& step, std::size_t rank_class, Violations& violations)
      : step_(step), class_(rank_class), classes_(class_of_ranks(step)), violations_(violations) {}

  void check() {
    auto const& tasks = step_.classes[class_].graph.tasks;
    for (std::size_t t = 0; t < tasks.size(); ++t) {
      const auto collectives = collectives_of(tasks[t]);
      for (std::size_t i = 0; i < collectives.size(); ++i)
        check(t, collectives[i], tasks[t].accesses[i].mode == AccessMode::read);
    }
  }

 private:
  using RankAtPlace = std::map<std::size_t, std::size_t>;  // [place]: a rank of the class with this place

  void wrong(std::size_t task, std::string const& what) {
    violations_.push_back({Rule::well_formed, describe(step_, {class_, task}) + ": " + what});
  }

  void check(std::size_t t, Collective const& collective, bool reads) {
    const bool is_broadcast = collective.verb == Verb::broadcast;
    if (!is_broadcast && collective.verb != Verb::send && collective.verb != Verb::receive) return;
    const std::string name = is_broadcast ? "root" : "peer";
    if (!collective.root_or_peer) return wrong(t, "names no " + name);
    const std::size_t place = *collective.root_or_peer;
    const std::size_t n = step_.communicators[index(collective.communicator)].groups.front().size();
    if (place >= n) {
      return wrong(t, "its " + name + " is place " + std::to_string(place) + ", but its group has only " +
                          std::to_string(n) + " ranks, and places count from 0");
    }
    auto const& ranks = ranks_at(collective.communicator);
    if (is_broadcast)
      check_root(t, place, ranks, reads);
    else
      check_peer(t, place, ranks);
  }

  void check_root(std::size_t t, std::size_t root, RankAtPlace const& ranks, bool reads) {
    for (auto const& [place, rank] : ranks) {
      if ((place == root) == reads) continue;
      return wrong(t, "rank " + std::to_string(rank) + ", at place " + std::to_string(place) +
                          " of its group, " +
                          (reads ? "reads, but the root is place " + std::to_string(root)
                                 : "is the root, but does not read") +
                          "; exactly the root reads, and all others assign");
    }
  }

  void check_peer(std::size_t t, std::size_t peer, RankAtPlace const& ranks) {
    const auto self = ranks.find(peer);
    if (self == ranks.end()) return;
    wrong(t, "rank " + std::to_string(self->second) + " is its own peer, at place " + std::to_string(peer) +
                 " of its group; the peer must be the other rank of the group");
  }

  RankAtPlace const& ranks_at(CommunicatorId id) {
    const auto [found, is_new] = ranks_.try_emplace(id);
    if (!is_new) return found->second;
    for (auto const& group : step_.communicators[index(id)].groups) {
      for (std::size_t place = 0; place < group.size(); ++place)
        if (classes_[group[place]] == class_) found->second.try_emplace(place, group[place]);
    }
    return found->second;
  }

  RankGraphs const& step_;
  std::size_t class_;
  std::vector<std::size_t> classes_;  // [rank]
  Violations& violations_;
  std::map<CommunicatorId, RankAtPlace> ranks_;  // what ranks_at() has found so far
};

}  // namespace

void check_roots_and_peers(RankGraphs const& step, std::size_t rank_class, Violations& violations) {
  RootsAndPeers(step, rank_class, violations).check();
}

void check_lanes(RankGraphs const& step, std::size_t rank_class, Violations& violations) {
  auto const& tasks = step.classes[rank_class].graph.tasks;
  std::map<CommunicatorId, std::size_t> first_task;
  std::set<CommunicatorId> refused;
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    for (Collective const& each : collectives_of(tasks[t])) {
      const std::size_t first = first_task.try_emplace(each.communicator, t).first->second;
      if (tasks[first].lane == tasks[t].lane || !refused.insert(each.communicator).second) continue;
      violations.push_back({Rule::same_order, describe(step, {rank_class, t}) + ": uses communicator " +
                                                  std::to_string(index(each.communicator)) +
                                                  " on another lane than task " + std::to_string(first) +
                                                  ", " + describe(tasks[first]) +
                                                  "; a communicator must stay on one lane"});
    }
  }
}

}  // namespace ddproxy::model
