// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/input/verb_costs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "miniapp/input/workload.hpp"
#include "model/cost/topology.hpp"
#include "model/step/describe.hpp"

namespace ddproxy {
namespace {

WireFormat format_of(model::DataType wire) {
  return wire == model::DataType::bf16 ? WireFormat::bf16 : WireFormat::fp32;
}

void add_use(VerbUse& use, model::DataType wire, std::int64_t bytes) {
  if (use.bytes.empty() || bytes > std::ranges::max(use.bytes)) use.wire = wire;
  use.bytes.push_back(bytes);
}

// The cost of a verb, and a warning if it is derived from the cost of another verb.
struct Source {
  model::AllreduceCost cost;
  std::string warning;
};

Source source_of(VerbKey key, int ranks, VerbTables const& tables) {
  if (auto own = tables(key, ranks)) return {*own, ""};
  const auto substitute = model::substitute_of(key.first);
  const auto other = substitute ? tables({substitute->verb, key.second}, ranks) : std::nullopt;
  const auto name = model::name_of(key.first);
  if (!other)
    throw std::invalid_argument(fmt::format(
        "the step needs the time of {} over {}, and no table has it{}; add rows with verb = {} and "
        "ranks = {} to the table ('ddproxy collectives' measures them)",
        name, model::ranks_text(ranks), substitute ? ", nor that of all_reduce" : "", name, ranks));
  return {
      [cost = *other, share = substitute->share](std::int64_t bytes) { return share * cost(bytes); },
      fmt::format("no table has the time of {} over {}; half of the time of an all_reduce of the same size "
                  "is used, so the prediction is less certain",
                  name, model::ranks_text(ranks))};
}

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

VerbTables tables_of_file(std::filesystem::path const& file) {
  return [tables = model::read_collectives(file)](VerbKey key, int ranks) {
    auto const* table = tables.find(key.first, ranks);
    return table ? std::optional<model::AllreduceCost>(*table) : std::nullopt;
  };
}

VerbTables replayed_tables(Config const& config) {
  return [a = input_cost(config).value(), file = tables_of_file(config.table), all = config.ranks](
             VerbKey key, int ranks) -> std::optional<model::AllreduceCost> {
    if (key.first == model::Verb::all_reduce && ranks == all) return a;
    return file(key, ranks);
  };
}

VerbCosts verb_costs(model::RankGraphs const& step, VerbTables const& tables) {
  VerbCosts result;
  for (auto const& [key, use] : verb_uses(step)) {
    auto [cost, warning] = source_of(key, use.ranks, tables);
    result.costs.set(key.first, key.second, of_gradients(std::move(cost), format_of(use.wire)));
    const bool is_new = std::ranges::find(result.warnings, warning) == result.warnings.end();
    if (!warning.empty() && is_new) result.warnings.push_back(warning);
  }
  return result;
}

}  // namespace ddproxy
