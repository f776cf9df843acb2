// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/step/check/collective_contents.hpp"

#include <set>
#include <string>

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
        members.push_back({rank, at, collectives[i], grouped ? std::vector{accesses[i]} : accesses});
      }
    }
  }
  return members;
}

void CollectiveContents::run(Members const& members) {
  located_.reset();
  switch (members.front().collective.verb) {
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

// Makes later messages name the task of a member.
void CollectiveContents::locate(Member const& member) {
  if (located_ == member.task) return;
  located_ = member.task;
  findings_.at("task " + std::to_string(member.task.task) + ", " + describe(task(member.task)) +
               ", on communicator " + std::to_string(index(member.collective.communicator)) + ": ");
}

Segments CollectiveContents::read(Member const& member, Access const& access) {
  locate(member);
  return contents_.filled(member.rank, access);
}

void CollectiveContents::write(Member const& member, Access const& access, Segments const& segments) {
  locate(member);
  contents_.check_padding(member.rank, access, segments);
  contents_.write(member.rank, access, segments);
}

// Returns the sum of what all members read, or the average if the collective averages.
Segments CollectiveContents::sum(Members const& members) {
  std::vector<Segments> sources;
  for (Member const& member : members) sources.push_back(read(member, member.accesses[0]));
  Member const& first = members.front();
  locate(first);
  return sums_.sum(first.rank, sources, first.collective.reduction);
}

void CollectiveContents::all_reduce(Members const& members) {
  const Segments reduced = sum(members);
  for (Member const& member : members) write(member, member.accesses[0], reduced);
}

void CollectiveContents::reduce_scatter(Members const& members) {
  const Segments reduced = sum(members);
  for (std::size_t m = 0; m < members.size(); ++m) {
    Access const& to = members[m].accesses[1];
    const std::size_t count = elements_of(step_, to);
    Segments part = cut(reduced, {m * count, count});
    if (to.mode == AccessMode::contribute) part = sums_.sum(members[m].rank, {read(members[m], to), part});
    write(members[m], to, part);
  }
}

void CollectiveContents::all_gather(Members const& members) {
  Segments gathered;
  std::size_t at = 0;
  for (Member const& member : members) {
    for (auto const& [held, value] : read(member, member.accesses[0])) {
      gathered.push_back({{at + held.offset, held.count}, value.moved(-static_cast<std::ptrdiff_t>(at))});
    }
    at += elements_of(step_, member.accesses[0]);
  }
  for (Member const& member : members) write(member, member.accesses[1], gathered);
}

// Carries out a broadcast, or a send with its receive: the member that reads passes its contents to all
// members that assign.
void CollectiveContents::hand_over(Members const& members) {
  for (Member const& from : members) {
    if (from.accesses[0].mode != AccessMode::read) continue;
    const Segments segments = read(from, from.accesses[0]);
    for (Member const& to : members) {
      if (to.accesses[0].mode == AccessMode::assign) write(to, to.accesses[0], segments);
    }
  }
}

}  // namespace ddproxy::model
