// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/step/check/collective_contents.hpp"

#include <set>

#include "model/step/describe.hpp"

namespace ddproxy::model {

void CollectiveContents::run(std::vector<ClassTask> const& node) {
  std::set<CommunicatorId> communicators;
  for (const ClassTask at : node) {
    for (Collective const& each : collectives_of(task(at))) communicators.insert(each.communicator);
  }
  for (const CommunicatorId id : communicators) {
    for (auto const& group : step_.communicators[index(id)].groups) {
      const Members members = this->members(node, id, group);
      if (!members.empty()) run(members);
    }
  }
}

CollectiveContents::Members CollectiveContents::members(std::vector<ClassTask> const& node, CommunicatorId id,
                                                        std::vector<std::size_t> const& group) const {
  Members members;
  for (const std::size_t rank : group) {
    for (const ClassTask at : node) {
      if (at.rank_class != contents_.class_of(rank)) continue;
      auto const& accesses = task(at).accesses;
      const auto collectives = collectives_of(task(at));
      const bool grouped = std::holds_alternative<std::vector<Collective>>(task(at).work);
      for (std::size_t i = 0; i < collectives.size(); ++i) {
        if (collectives[i].communicator != id) continue;
        members.push_back({rank, collectives[i], grouped ? std::vector{accesses[i]} : accesses});
      }
    }
  }
  return members;
}

void CollectiveContents::run(Members const& members) {
  Collective const& collective = members.front().collective;
  findings_.at(std::string(name_of(collective.verb)) + " on communicator " +
               std::to_string(index(collective.communicator)) + ": ");
  switch (collective.verb) {
    case Verb::all_reduce:
      return all_reduce(members);
    case Verb::reduce_scatter:
      return reduce_scatter(members);
    case Verb::all_gather:
      return all_gather(members);
    default:
      return hand_over(members);
  }
}

std::vector<Segments> CollectiveContents::sources(Members const& members) {
  std::vector<Segments> segments;
  for (Member const& member : members) segments.push_back(contents_.filled(member.rank, member.accesses[0]));
  return segments;
}

void CollectiveContents::all_reduce(Members const& members) {
  const Segments reduced =
      sums_.sum(members.front().rank, sources(members), members.front().collective.reduction);
  for (Member const& member : members) contents_.write(member.rank, member.accesses[0], reduced);
}

void CollectiveContents::reduce_scatter(Members const& members) {
  const Segments reduced =
      sums_.sum(members.front().rank, sources(members), members.front().collective.reduction);
  for (std::size_t m = 0; m < members.size(); ++m) {
    const std::size_t rank = members[m].rank;
    Access const& to = members[m].accesses[1];
    const std::size_t count = elements_of(step_, to);
    Segments part = cut(reduced, {m * count, count});
    if (to.mode == AccessMode::contribute) part = sums_.sum(rank, {contents_.filled(rank, to), part});
    contents_.write(rank, to, part);
  }
}

void CollectiveContents::all_gather(Members const& members) {
  Segments gathered;
  std::size_t at = 0;
  for (Member const& member : members) {
    for (auto const& [held, value] : contents_.filled(member.rank, member.accesses[0])) {
      gathered.push_back({{at + held.offset, held.count}, value.moved(-static_cast<std::ptrdiff_t>(at))});
    }
    at += elements_of(step_, member.accesses[0]);
  }
  for (Member const& member : members) contents_.write(member.rank, member.accesses[1], gathered);
}

// Carries out a broadcast, or a send with its receive: the member that reads passes its contents to all
// members that assign.
void CollectiveContents::hand_over(Members const& members) {
  for (Member const& from : members) {
    if (from.accesses[0].mode != AccessMode::read) continue;
    const Segments segments = contents_.filled(from.rank, from.accesses[0]);
    for (Member const& to : members) {
      if (to.accesses[0].mode == AccessMode::assign) contents_.write(to.rank, to.accesses[0], segments);
    }
  }
}

}  // namespace ddproxy::model
