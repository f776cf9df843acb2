// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/step/check/check.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "model/step/access_history.hpp"
#include "model/step/check/collective_rules.hpp"
#include "model/step/check/contents.hpp"
#include "model/step/check/lane_clocks.hpp"
#include "model/step/check/rank_classes.hpp"
#include "model/step/describe.hpp"
#include "model/step/merged_order.hpp"

namespace ddproxy::model {
namespace {

constexpr std::size_t most_violations = 20;

/// Checks that the graph of one class is a valid data structure.
class Form {
 public:
  Form(RankGraphs const& step, std::size_t rank_class, Violations& violations)
      : step_(step), class_(rank_class), graph_(step.classes[rank_class].graph), violations_(violations) {}

  void check() {
    check_communicators_of_buffers();
    for (std::size_t t = 0; t < graph_.tasks.size(); ++t) {
      check_waits(t);
      for (Access const& access : graph_.tasks[t].accesses) check_access(t, access);
      check_work(t);
    }
  }

 private:
  void wrong(Rule rule, std::size_t task, std::string const& what) {
    violations_.push_back({rule, describe(step_, {class_, task}) + ": " + what});
  }

  /// Checks the communicators that divide the buffers, and the communicator of the replicas.
  void check_communicators_of_buffers() {
    const auto check = [&](std::string const& what, CommunicatorId id) {
      if (auto const& fault = fault_of(id); !fault.empty())
        violations_.push_back({Rule::well_formed, what + ": " + fault});
    };
    check("the replicas", graph_.expected.replicas);
    for (std::size_t b = 0; b < graph_.buffers.size(); ++b) {
      for (BufferState const* state : {&graph_.buffers[b].at_entry, &graph_.buffers[b].at_exit})
        if (state->shard) check("buffer " + std::to_string(b), *state->shard);
    }
  }

  void check_waits(std::size_t task) {
    for (const TaskId before : graph_.tasks[task].after) {
      if (index(before) < task) continue;
      wrong(Rule::rising, task,
            "waits for task " + std::to_string(index(before)) + ", which is not before it");
    }
  }

  void check_access(std::size_t task, Access const& access) {
    if (index(access.buffer) >= graph_.buffers.size()) {
      return wrong(Rule::well_formed, task, "there is no buffer " + std::to_string(index(access.buffer)));
    }
    if (access.slice.end() > graph_.buffers[index(access.buffer)].elements) {
      return wrong(Rule::well_formed, task, "the slice ends beyond the buffer");
    }
    if (access.padding > access.slice.count) {
      wrong(Rule::well_formed, task,
            "declares " + std::to_string(access.padding) + " elements of buffer " +
                std::to_string(index(access.buffer)) + " as padding, but its slice has only " +
                std::to_string(access.slice.count));
    }
    if (access.shard) check_communicator(task, *access.shard);
    if (access.part && check_communicator(task, *access.part) &&
        access.slice.count % step_.communicators[index(*access.part)].groups.front().size() != 0) {
      wrong(Rule::well_formed, task, "the slice cannot be cut into equal parts for the ranks of the group");
    }
  }

  /// Returns true if fault_of() finds nothing. Adds a violation otherwise.
  bool check_communicator(std::size_t task, CommunicatorId id) {
    auto const& fault = fault_of(id);
    if (!fault.empty()) wrong(Rule::well_formed, task, fault);
    return fault.empty();
  }

  /// Returns an empty text if the communicator exists, all its groups have the same size, and each rank of
  /// the class is in one of the groups. Otherwise returns what is wrong.
  std::string const& fault_of(CommunicatorId id) {
    const auto [found, is_new] = faults_.try_emplace(id);
    if (is_new) found->second = find_fault(id);
    return found->second;
  }

  std::string find_fault(CommunicatorId id) const {
    if (index(id) >= step_.communicators.size())
      return "there is no communicator " + std::to_string(index(id));
    auto const& groups = step_.communicators[index(id)].groups;
    std::set<std::size_t> ranks;
    for (auto const& group : groups) ranks.insert(group.begin(), group.end());
    const bool has_all = std::ranges::all_of(step_.classes[class_].ranks,
                                             [&](std::size_t rank) { return ranks.contains(rank); });
    const bool equal = std::ranges::all_of(
        groups, [&](auto const& group) { return !group.empty() && group.size() == groups[0].size(); });
    if (!groups.empty() && has_all && equal) return "";
    return "communicator " + std::to_string(index(id)) +
           " must have groups of equal size that contain every rank of the class";
  }

  void check_work(std::size_t t) {
    Task const& task = graph_.tasks[t];
    const auto collectives = collectives_of(task);
    const bool grouped = std::holds_alternative<std::vector<Collective>>(task.work);
    if (grouped && collectives.size() != task.accesses.size()) {
      return wrong(Rule::well_formed, t, "a group of transfers needs one access for each transfer");
    }
    for (std::size_t i = 0; i < collectives.size(); ++i) {
      if (check_communicator(t, collectives[i].communicator)) check_collective(t, collectives[i], i, grouped);
    }
    if (std::holds_alternative<Copy>(task.work) &&
        (task.accesses.size() != 2 || task.accesses[0].mode != AccessMode::read ||
         task.accesses[1].mode != AccessMode::assign ||
         task.accesses[0].slice.count != task.accesses[1].slice.count)) {
      wrong(Rule::well_formed, t, "a copy must read one slice and assign another slice of the same length");
    }
  }

  void check_collective(std::size_t t, Collective const& collective, std::size_t i, bool grouped) {
    auto const& accesses = graph_.tasks[t].accesses;
    const std::size_t n = step_.communicators[index(collective.communicator)].groups.front().size();
    const auto is = [&](std::size_t a, AccessMode mode) {
      return a < accesses.size() && accesses[a].mode == mode;
    };
    const auto count = [&](std::size_t a) { return elements_of(step_, accesses[a]); };
    bool fits = false;
    switch (collective.verb) {
      case Verb::all_reduce:
        fits = accesses.size() == 1 && is(0, AccessMode::modify);
        break;
      case Verb::reduce_scatter:
        fits = accesses.size() == 2 && is(0, AccessMode::read) &&
               (is(1, AccessMode::assign) || is(1, AccessMode::contribute)) && count(0) == n * count(1);
        break;
      case Verb::all_gather:
        fits = accesses.size() == 2 && is(0, AccessMode::read) && is(1, AccessMode::assign) &&
               count(1) == n * count(0);
        break;
      case Verb::broadcast:
        fits = accesses.size() == 1 && (is(0, AccessMode::read) || is(0, AccessMode::assign));
        break;
      case Verb::send:
        fits = n == 2 && is(i, AccessMode::read);
        break;
      case Verb::receive:
        fits = n == 2 && is(i, AccessMode::assign);
        break;
    }
    const bool transfer = collective.verb == Verb::send || collective.verb == Verb::receive;
    if (!fits || (grouped && !transfer)) {
      wrong(Rule::well_formed, t, "its accesses or the size of its group do not fit the verb");
    }
  }

  RankGraphs const& step_;
  std::size_t class_;
  StepGraph const& graph_;
  Violations& violations_;
  std::map<CommunicatorId, std::string> faults_;  // what fault_of() has found so far
};

/// Adds a violation if the accesses of two tasks of one rank conflict although neither waits for the other,
/// directly or through other tasks. Compares each task only with the conflicts that AccessHistory returns, so
/// it does not report every such pair.
void check_conflicts(RankGraphs const& step, std::size_t rank_class, Violations& violations) {
  StepGraph const& graph = step.classes[rank_class].graph;
  const LaneClocks clocks(graph);
  AccessHistory history(graph.buffers);
  for (std::size_t t = 0; t < graph.tasks.size(); ++t) {
    for (const TaskId before : history.conflicts(graph.tasks[t])) {
      if (clocks.before(before, TaskId{t})) continue;
      violations.push_back({Rule::ordered, describe(step, {rank_class, t}) + ", does not wait for task " +
                                               std::to_string(index(before)) + ", " +
                                               describe(graph.tasks[index(before)]) +
                                               ", although one writes what the other uses"});
    }
    history.record(TaskId{t}, graph.tasks[t]);
  }
}

}  // namespace

Violations check(RankGraphs const& step) {
  Violations violations;
  check_ranks(step, violations);
  if (violations.empty()) {
    for (std::size_t c = 0; c < step.classes.size(); ++c) Form(step, c, violations).check();
  }
  if (violations.empty()) {
    for (std::size_t c = 0; c < step.classes.size(); ++c) check_roots_and_peers(step, c, violations);
  }
  if (violations.empty()) {
    for (std::size_t c = 0; c < step.classes.size(); ++c) {
      check_lanes(step, c, violations);
      check_conflicts(step, c, violations);
    }
    MergedOrder order = merged_order(step);
    violations.insert(violations.end(), order.violations.begin(), order.violations.end());
    if (order.violations.empty()) follow_contents(step, order.nodes, violations);
  }
  violations.resize(std::min(violations.size(), most_violations));
  return violations;
}

}  // namespace ddproxy::model
