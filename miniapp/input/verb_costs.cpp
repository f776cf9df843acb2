// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/input/verb_costs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "miniapp/input/workload.hpp"
#include "model/cost/topology.hpp"
#include "model/step/describe.hpp"

namespace ddproxy {
namespace {

using model::RankGroup;

WireFormat format_of(model::DataType wire) {
  return wire == model::DataType::bf16 ? WireFormat::bf16 : WireFormat::fp32;
}

void add_use(VerbUse& use, model::DataType wire, std::int64_t bytes) {
  if (use.bytes.empty() || bytes > std::ranges::max(use.bytes)) use.wire = wire;
  use.bytes.push_back(bytes);
}

// The cost of a verb, the verb whose table it comes from, and a warning if that is another verb.
struct Source {
  model::AllreduceCost cost;
  model::Verb table;
  std::string warning;
};

// Returns the cost of a verb over `group`. Returns nothing if neither the verb nor its substitute has a
// table.
std::optional<Source> source_of(VerbKey key, RankGroup group, VerbTables const& tables) {
  if (auto own = tables(key, group)) return Source{own->cost, key.first, ""};
  const auto substitute = model::substitute_of(key.first);
  const auto other = substitute ? tables({substitute->verb, key.second}, group) : std::nullopt;
  if (!other) return std::nullopt;
  return Source{
      [cost = other->cost, share = substitute->share](std::int64_t bytes) { return share * cost(bytes); },
      substitute->verb,
      fmt::format("no table has the time of {} over {}; half of the time of an all_reduce of the same size "
                  "is used, so the prediction is less certain. Add rows with this verb and this number of "
                  "ranks to the table. With --latency-scale or --bandwidth-scale such rows are not used",
                  model::name_of(key.first), model::group_text(group))};
}

void refuse_missing(std::set<std::string> const& missing) {
  if (missing.empty()) return;
  throw std::invalid_argument(fmt::format(
      "no table has the time of {}, which the step needs; add rows with this verb and this number of ranks "
      "to the table ('ddproxy collectives' measures them). If the table has a column nodes, the rows also "
      "need this number of nodes. A table without a column ranks has only times for all ranks of the step "
      "together. Rows of all_reduce can replace those of reduce_scatter and all_gather",
      fmt::join(missing, ", nor of ")));
}

std::string first_group(model::RankGraphs const& step, model::CommunicatorId id) {
  std::string text;
  for (const std::size_t rank : step.communicators[model::index(id)].groups.front())
    text += (text.empty() ? "" : ", ") + std::to_string(rank);
  return text;
}

// Finds groups whose table may have been measured on other groups, because the table does not state on how
// many nodes its groups are.
class SharedTables {
 public:
  SharedTables(model::RankGraphs const& step, VerbTables const& tables, int ranks_per_node)
      : step_(step), tables_(tables), ranks_per_node_(ranks_per_node) {}

  // Returns a warning in two cases: another communicator with different groups uses the same table, or the
  // groups are on more nodes than the same number of consecutive ranks would be. Call this function for each
  // use of a table.
  std::string add(model::Verb table, model::CommunicatorId id, RankGroup group) {
    const model::CommunicatorId nowhere{step_.communicators.size()};
    const auto found = tables_({table, nowhere}, group);
    // Two kinds of tables are certainly meant for these groups: a table for one communicator (`nowhere` finds
    // none), and a table that states its number of nodes.
    if (!found || found->states_nodes) return "";
    const auto first = users_.try_emplace({table, group.ranks}, id).first->second;
    if (groups(first) != groups(id))
      return fmt::format(
          "two kinds of groups of {} take their times from the same table of {}: groups such as ranks {}, "
          "and groups such as ranks {}. The table does not state on how many nodes its ranks are. If only "
          "one kind of group crosses nodes, the prediction is less certain; add rows with a column nodes for "
          "each kind",
          model::ranks_text(group.ranks), model::name_of(table), first_group(step_, first),
          first_group(step_, id));
    if (group.nodes == model::neighbours(group.ranks, ranks_per_node_).nodes) return "";
    return fmt::format(
        "the groups of {} (such as ranks {}) take their times from a table of {} that does not state on how "
        "many nodes its ranks are. If the table was measured on consecutive ranks, those ranks were on fewer "
        "nodes than these groups, so the predicted time may be too short; add rows with a column nodes",
        model::group_text(group), first_group(step_, id), model::name_of(table));
  }

 private:
  std::vector<std::vector<std::size_t>> const& groups(model::CommunicatorId id) const {
    return step_.communicators[model::index(id)].groups;
  }

  model::RankGraphs const& step_;
  VerbTables const& tables_;
  int ranks_per_node_;  // 0: not known
  std::map<std::pair<model::Verb, int>, model::CommunicatorId>
      users_;  // the first communicator that used each table
};

}  // namespace

std::map<VerbKey, VerbUse> verb_uses(model::RankGraphs const& step) {
  std::map<VerbKey, VerbUse> uses;
  for (auto const& task : step.classes.front().graph.tasks) {
    const auto collectives = model::collectives_of(task);
    for (std::size_t i = 0; i < collectives.size(); ++i) {
      auto const& each = collectives[i];
      const auto ranks = step.communicators[model::index(each.communicator)].groups.front().size();
      if (ranks < 2) continue;
      VerbUse& use = uses[{each.verb, each.communicator}];
      use.ranks = static_cast<int>(ranks);
      add_use(use, each.wire,
              static_cast<std::int64_t>(model::full_elements(step, task, i)) * model::bytes_of(each.wire));
    }
  }
  return uses;
}

VerbTables tables_of_file(std::filesystem::path const& file, int ranks) {
  return [tables = model::read_collectives(file, ranks)](VerbKey key, RankGroup of_group) {
    auto const* table = tables.find(key.first, of_group);
    return table ? std::optional(VerbTable{*table, tables.states_nodes(key.first, of_group)}) : std::nullopt;
  };
}

VerbTables replayed_tables(Config const& config) {
  return [a = input_cost(config).value(), file = tables_of_file(config.table, config.ranks),
          all = config.ranks](VerbKey key, RankGroup group) -> std::optional<VerbTable> {
    if (key.first == model::Verb::all_reduce && group.ranks == all) return VerbTable{a, true};
    return file(key, group);
  };
}

VerbCosts verb_costs(model::RankGraphs const& step, VerbTables const& tables, int ranks_per_node) {
  VerbCosts result;
  SharedTables shared(step, tables, ranks_per_node);
  std::set<std::string> missing;
  const auto warn = [&](std::string const& text) {
    const bool is_new = std::ranges::find(result.warnings, text) == result.warnings.end();
    if (!text.empty() && is_new) result.warnings.push_back(text);
  };
  for (auto const& [key, use] : verb_uses(step)) {
    const RankGroup group{use.ranks,
                          model::nodes_of(step.communicators[model::index(key.second)], ranks_per_node)};
    auto source = source_of(key, group, tables);
    if (!source) {
      missing.insert(fmt::format("{} over {}", model::name_of(key.first), model::group_text(group)));
      continue;
    }
    result.costs.set(key.first, key.second, of_gradients(std::move(source->cost), format_of(use.wire)));
    warn(source->warning);
    warn(shared.add(source->table, key.second, group));
  }
  refuse_missing(missing);
  return result;
}

}  // namespace ddproxy
