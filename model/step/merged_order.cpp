// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/step/merged_order.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "model/step/describe.hpp"

namespace ddproxy::model {
namespace {

/// A collective that a class issues.
struct Issued {
  std::size_t task;
  Collective collective;
  std::size_t elements;
  DataType type;
};

/// The collectives that each class issues, [class][communicator], in the order of issue.
using AllIssued = std::vector<std::vector<std::vector<Issued>>>;

AllIssued issued_by(RankGraphs const& step) {
  AllIssued all(step.classes.size(), std::vector<std::vector<Issued>>(step.communicators.size()));
  for (std::size_t c = 0; c < step.classes.size(); ++c) {
    StepGraph const& graph = step.classes[c].graph;
    for (std::size_t t = 0; t < graph.tasks.size(); ++t) {
      const auto collectives = collectives_of(graph.tasks[t]);
      for (std::size_t i = 0; i < collectives.size(); ++i) {
        Access const& access = graph.tasks[t].accesses[i];
        all[c][index(collectives[i].communicator)].push_back({t, collectives[i],
                                                              full_elements(step, graph.tasks[t], i),
                                                              graph.buffers[index(access.buffer)].type});
      }
    }
  }
  return all;
}

bool is_transfer(Verb verb) {
  return verb == Verb::send || verb == Verb::receive;
}

/// Returns true if two members can issue `a` and `b` as one collective. A send matches a receive.
bool fit(Issued const& a, Issued const& b) {
  if (a.elements != b.elements || a.type != b.type || a.collective.wire != b.collective.wire) return false;
  if (is_transfer(a.collective.verb)) {
    return is_transfer(b.collective.verb) && a.collective.verb != b.collective.verb;
  }
  return a.collective.verb == b.collective.verb && a.collective.reduction == b.collective.reduction &&
         (a.collective.verb != Verb::broadcast || a.collective.root_or_peer == b.collective.root_or_peer);
}

/// Finds the tasks that must run together: a union-find structure over all tasks of all classes.
class Joined {
 public:
  explicit Joined(RankGraphs const& step) {
    for (auto const& each : step.classes) first_.push_back(first_.back() + each.graph.tasks.size());
    parent_.resize(first_.back());
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }
  std::size_t id(ClassTask at) const { return first_[at.rank_class] + at.task; }
  std::size_t root(std::size_t id) {
    while (parent_[id] != id) id = parent_[id] = parent_[parent_[id]];
    return id;
  }
  void join(ClassTask a, ClassTask b) { parent_[root(id(a))] = root(id(b)); }
  std::size_t size() const { return parent_.size(); }

 private:
  std::vector<std::size_t> first_{0};  // [class]
  std::vector<std::size_t> parent_;
};

/// The indices of two classes. They may be equal.
using ClassPair = std::pair<std::size_t, std::size_t>;

/// Joins the n-th collective that the first class issues on a communicator with the n-th one of the second
/// class, for every n. Adds a violation if the two cannot be one collective, or if the classes issue
/// different numbers of collectives. The classes must have ranks in the same group of the communicator.
void match(RankGraphs const& step, std::size_t communicator, ClassPair pair, AllIssued const& issued,
           Joined& joined, Violations& violations) {
  const auto [a, b] = pair;
  auto const& of_a = issued[a][communicator];
  auto const& of_b = issued[b][communicator];
  for (std::size_t n = 0; n < std::min(of_a.size(), of_b.size()); ++n) {
    if (a != b) joined.join({a, of_a[n].task}, {b, of_b[n].task});
    if (fit(of_a[n], of_b[n])) continue;
    violations.push_back({Rule::same_order, "collective " + std::to_string(n) + " on communicator " +
                                                std::to_string(communicator) + " is " +
                                                describe(step, {a, of_a[n].task}) + ", but " +
                                                describe(step, {b, of_b[n].task})});
    return;
  }
  if (of_a.size() == of_b.size()) return;
  violations.push_back({Rule::same_order, "class " + std::to_string(a) + " issues " +
                                              std::to_string(of_a.size()) + " collectives on communicator " +
                                              std::to_string(communicator) + ", but class " +
                                              std::to_string(b) + " issues " + std::to_string(of_b.size())});
}

/// Returns the pairs of classes that have neighbouring ranks in a group of the communicator. Each pair is
/// listed once.
std::set<ClassPair> meeting(Communicator const& communicator, std::vector<std::size_t> const& classes) {
  std::set<ClassPair> pairs;
  for (auto const& group : communicator.groups) {
    for (std::size_t i = 1; i < group.size(); ++i) pairs.insert({classes[group[i - 1]], classes[group[i]]});
  }
  return pairs;
}

Joined match_all(RankGraphs const& step, Violations& violations) {
  const AllIssued issued = issued_by(step);
  const auto classes = class_of_ranks(step);
  Joined joined(step);
  for (std::size_t c = 0; c < step.communicators.size(); ++c) {
    for (ClassPair const& pair : meeting(step.communicators[c], classes)) {
      match(step, c, pair, issued, joined, violations);
    }
  }
  return joined;
}

/// The merged graph. A node is a set of tasks that run together. Its index is Joined::root() of these tasks.
/// All other indices have no tasks.
struct Nodes {
  std::vector<std::vector<ClassTask>> members;  // [node]: its tasks
  std::vector<std::vector<std::size_t>> next;   // [node]: the nodes that wait for it
  std::vector<std::size_t> waits;               // [node]: number of nodes for which it still waits
  explicit Nodes(std::size_t size) : members(size), next(size), waits(size) {}
  void edge(std::size_t from, std::size_t to) {
    next[from].push_back(to);
    ++waits[to];
  }
};

Nodes nodes_of(RankGraphs const& step, Joined& joined) {
  Nodes nodes(joined.size());
  for (std::size_t c = 0; c < step.classes.size(); ++c) {
    std::map<Lane, std::size_t> before;
    auto const& tasks = step.classes[c].graph.tasks;
    for (std::size_t t = 0; t < tasks.size(); ++t) {
      const std::size_t node = joined.root(joined.id({c, t}));
      nodes.members[node].push_back({c, t});
      for (const TaskId after : tasks[t].after) nodes.edge(joined.root(joined.id({c, index(after)})), node);
      const auto [last, first_on_lane] = before.try_emplace(tasks[t].lane, node);
      if (!first_on_lane) nodes.edge(std::exchange(last->second, node), node);
    }
  }
  return nodes;
}

std::string circle(RankGraphs const& step, Nodes const& nodes) {
  std::string text = "these tasks wait for each other:";
  int named = 0;
  for (std::size_t n = 0; n < nodes.members.size(); ++n) {
    if (nodes.members[n].empty() || nodes.waits[n] == 0) continue;
    text += (named ? "; " : " ") + describe(step, nodes.members[n].front());
    if (++named == 3) break;
  }
  return text;
}

}  // namespace

std::vector<std::size_t> class_of_ranks(RankGraphs const& step) {
  std::vector<std::size_t> classes;
  for (std::size_t c = 0; c < step.classes.size(); ++c) {
    for (const std::size_t rank : step.classes[c].ranks) {
      if (rank >= classes.size()) classes.resize(rank + 1);
      classes[rank] = c;
    }
  }
  return classes;
}

MergedOrder merged_order(RankGraphs const& step) {
  MergedOrder order;
  Joined joined = match_all(step, order.violations);
  if (!order.violations.empty()) return order;
  Nodes nodes = nodes_of(step, joined);
  std::vector<std::size_t> ready;
  std::size_t left = 0;
  for (std::size_t n = nodes.members.size(); n-- > 0;) {
    if (nodes.members[n].empty()) continue;
    ++left;
    if (nodes.waits[n] == 0) ready.push_back(n);
  }
  while (!ready.empty()) {
    const std::size_t node = ready.back();
    ready.pop_back();
    --left;
    for (const std::size_t next : nodes.next[node]) {
      if (--nodes.waits[next] == 0) ready.push_back(next);
    }
    order.nodes.push_back(std::move(nodes.members[node]));
    nodes.members[node].clear();
  }
  if (left == 0) return order;
  order.nodes.clear();
  order.violations.push_back({Rule::no_deadlock, circle(step, nodes)});
  return order;
}

}  // namespace ddproxy::model
