// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/cost/collective_tables.hpp"

#include <algorithm>
#include <stdexcept>

#include "model/cost/topology.hpp"

namespace ddproxy::model {
namespace {

/// Returns the verb under which the table of `verb` is stored.
Verb table_of(Verb verb) {
  return verb == Verb::receive ? Verb::send : verb;
}

}  // namespace

std::string group_text(RankGroup group) {
  const std::string text = ranks_text(group.ranks);
  if (group.nodes == 0) return text;
  return text + " on " + std::to_string(group.nodes) + (group.nodes == 1 ? " node" : " nodes");
}

RankGroup neighbours(int ranks, int ranks_per_node) {
  return {ranks, ranks_per_node > 0 ? (ranks + ranks_per_node - 1) / ranks_per_node : 0};
}

int nodes_of(Communicator const& communicator, std::span<const std::size_t> node) {
  std::size_t most = 0;
  if (node.empty()) return 0;
  for (auto const& group : communicator.groups) {
    std::set<std::size_t> nodes;
    for (const std::size_t rank : group) nodes.insert(node[rank]);
    most = std::max(most, nodes.size());
  }
  return static_cast<int>(most);
}

int nodes_of(Communicator const& communicator, int ranks_per_node) {
  std::vector<std::size_t> node;
  if (ranks_per_node < 1) return 0;
  for (auto const& group : communicator.groups)
    for (const std::size_t rank : group) {
      node.resize(std::max(node.size(), rank + 1));
      node[rank] = rank / static_cast<std::size_t>(ranks_per_node);
    }
  return nodes_of(communicator, node);
}

std::optional<int> nodes_of_rows(RankGroup group, std::set<int> const& stated) {
  if (stated.contains(group.nodes)) return group.nodes;
  if (stated.contains(0)) return 0;
  if (group.nodes > 0 || stated.empty()) return std::nullopt;
  if (stated.size() == 1) return *stated.begin();
  throw std::invalid_argument("the table of collectives has times for " + ranks_text(group.ranks) + " on " +
                              std::to_string(*stated.begin()) + " and on " +
                              std::to_string(*stated.rbegin()) +
                              " nodes, and the input does not say how many nodes its groups are on; give "
                              "[machine] ranks_per_node");
}

std::optional<Substitute> substitute_of(Verb verb) {
  if (verb == Verb::reduce_scatter || verb == Verb::all_gather) return Substitute{Verb::all_reduce, 0.5};
  return std::nullopt;
}

void CollectiveTables::set(Verb verb, RankGroup group, TableCost cost) {
  tables_[{table_of(verb), group.ranks}].insert_or_assign(group.nodes, std::move(cost));
}

CollectiveTables::ByNodes::value_type const* CollectiveTables::entry(Verb verb, RankGroup group) const {
  const auto found = tables_.find({table_of(verb), group.ranks});
  if (found == tables_.end() || group.ranks == unknown_ranks) return nullptr;
  std::set<int> stated;
  for (auto const& [nodes, table] : found->second) stated.insert(nodes);
  const auto nodes = nodes_of_rows(group, stated);
  return nodes ? &*found->second.find(*nodes) : nullptr;
}

TableCost const* CollectiveTables::find(Verb verb, RankGroup group) const {
  auto const* found = entry(verb, group);
  return found ? &found->second : nullptr;
}

bool CollectiveTables::states_nodes(Verb verb, RankGroup group) const {
  auto const* found = entry(verb, group);
  return found && found->first > 0;
}

std::optional<CollectiveTables::Source> CollectiveTables::source(Verb verb, RankGroup group) const {
  if (auto const* own = find(verb, group)) return Source{own, 1};
  const auto substitute = substitute_of(verb);
  auto const* other = substitute ? find(substitute->verb, group) : nullptr;
  if (!other) return std::nullopt;
  return Source{other, substitute->share};
}

}  // namespace ddproxy::model
