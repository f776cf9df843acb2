// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/predict/network.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <stdexcept>

#include "miniapp/predict/allreduce_tables.hpp"
#include "miniapp/predict/stated_links.hpp"
#include "model/cost/allreduce_topology.hpp"
#include "model/cost/topology.hpp"

namespace ddproxy {
namespace {

using model::RankedTable;
using Tables = AllreduceTables;

// Returns the number of ranks to predict for if --ranks is not given.
int only_ranks(Tables& tables, Config const& config) {
  if (config.ranks > 0 && has_ranks(tables, config.ranks)) return config.ranks;
  if (tables.all.size() == 1) {
    const int ranks = tables.all.front().ranks;
    if (ranks == 1)
      throw std::invalid_argument(
          "predict: the all-reduce table is for 1 rank, which reduces nothing; give --ranks N");
    if (config.ranks > 0)
      tables.warnings.push_back(
          fmt::format("the input is for {}, but the all-reduce table is for {} ranks; predicting for {} "
                      "ranks. Choose the number with --ranks",
                      model::ranks_text(config.ranks), ranks, ranks));
    return ranks;
  }
  throw std::invalid_argument(
      fmt::format("predict: there are tables of {} ranks; choose one of these numbers with --ranks",
                  fmt::join(ranks_of(tables), ", ")));
}

// Replaces a(x) by its running maximum if a(x) decreases somewhere between 4 bytes and 1 TiB on the wire.
// Updates the points of the network.
void settle(Network& network) {
  constexpr std::int64_t smallest = 4, largest = std::int64_t{1} << 40;
  if (!std::isfinite(network.cost(smallest)) || !std::isfinite(network.cost(largest)))
    throw std::invalid_argument(
        "predict: the derived all-reduce times are too large to add up; check --latency-scale, "
        "--bandwidth-scale and the unit of the table");
  const auto unfalling = model::never_falling(network.cost, smallest, largest);
  network.cost = unfalling.cost;
  for (auto& point : network.points) point.seconds = network.cost(point.bytes);
  if (unfalling.raised && !network.raised)
    network.warnings.push_back(
        "the all-reduce times that are derived from the table fall somewhere as bytes grow, but the model "
        "needs times that never fall. It uses their running maximum instead, so T and E may be too large; "
        "check --latency-scale, --bandwidth-scale and the rows of the table");
  network.raised |= unfalling.raised;
}

Network from_tables(Tables const& tables, int ranks, PredictOptions const& options, Config const& config) {
  const int per_node = ranks_per_node(options, config);
  if (ranks == 1) throw std::invalid_argument("--ranks 1: one rank alone reduces nothing; give 2 or more");
  if (per_node > 0 && ranks > 0) model::place(ranks, per_node);
  if (!has_ranks(tables, ranks) && has_ranks(tables, 0))
    throw std::invalid_argument(
        "predict: the all-reduce table does not say on how many ranks it was measured; give --table-ranks N");
  if (!has_ranks(tables, ranks) && per_node == 0)
    throw std::invalid_argument(fmt::format(
        "predict: there is no all-reduce table for {}. To derive its times from the table{} of {} "
        "ranks, give --ranks-per-node N, the number of ranks on a node. If {} need several nodes and "
        "no table covers several nodes, also give --node-latency SECONDS and --node-bandwidth GBPS, "
        "the link between nodes",
        model::ranks_text(ranks), tables.all.size() == 1 ? "" : "s", fmt::join(ranks_of(tables), ", "),
        model::ranks_text(ranks)));
  std::optional<model::Link> between;
  if (options.node_latency) between = model::Link{*options.node_latency, *options.node_bandwidth_GBps * 1e9};
  const model::Placement placement{ranks, per_node > 0 ? per_node : std::max(ranks, 1)};
  auto [cost, measured, based_on, uses_statement, warnings] =
      model::cost_for_ranks(tables.all, placement, between);
  const auto base = std::ranges::find(tables.all, based_on, &RankedTable::ranks);
  Network network{ranks, cost, base->points, tables.warnings, uses_statement};
  network.file = tables.files[static_cast<std::size_t>(base - tables.all.begin())];
  network.warnings.insert(network.warnings.end(), warnings.begin(), warnings.end());
  settle(network);
  return network;
}

std::vector<Network> all_from_tables(PredictOptions const& options, Config const& config) {
  Tables tables = read_allreduce_tables(options, config);
  std::vector<int> wanted = options.ranks;
  if (wanted.empty()) wanted = {only_ranks(tables, config)};
  std::vector<Network> networks;
  for (const int ranks : wanted) networks.push_back(from_tables(tables, ranks, options, config));
  return networks;
}

constexpr auto no_measurement =
    "the all-reduce times are computed from the stated latency and bandwidth of the links, not measured, so "
    "the prediction is only a first estimate";

std::vector<Network> all_stated(PredictOptions const& options, Config const& config) {
  if (!options.allreduce.empty() || !config.table.empty() || !options.table_ranks.empty())
    throw std::invalid_argument(
        "--link-latency, --link-bandwidth: a table of all-reduce times is given, too; give either the links "
        "or the table");
  std::vector<Network> networks;
  for (const int ranks : options.ranks) {
    auto [cost, points, uses_node_link] =
        cost_of_stated_links(ranks, ranks_per_node(options, config), options);
    networks.push_back({ranks, cost, points, {no_measurement}, uses_node_link});
  }
  return networks;
}

std::vector<VerbTables> verb_tables(PredictOptions const& options, Config const& config) {
  std::vector<VerbTables> tables;
  if (options.latency_scale != 1 || options.bandwidth_scale != 1) return tables;
  for (auto const& [path, ranks] : table_files(options, config))
    tables.push_back(tables_of_file(path, ranks));
  return tables;
}

// Returns a(x) of a group of `ranks` ranks. `ranks` differs from the number of ranks of the network. Returns
// nothing if a(x) cannot be derived.
std::optional<model::AllreduceCost> cost_of_group(PredictOptions options, Config const& config,
                                                  int ranks) try {
  options.ranks = {ranks};
  const auto network = options.link_latency ? all_stated(options, config) : all_from_tables(options, config);
  return what_if(network.front(), options.latency_scale, options.bandwidth_scale).cost;
} catch (std::invalid_argument const&) {
  return std::nullopt;
}

// Sets Network::tables to a function that captures everything by value, because the network outlives the
// arguments. The function reads the files again when a sharded step is predicted. Other predictions need only
// the all-reduces, so the other collectives in the files are not read for them.
void add_tables(Network& network, PredictOptions const& options, Config const& config) {
  network.ranks_per_node = ranks_per_node(options, config);
  network.tables = [cost = network.cost, all = network.ranks, options, config](
                       VerbKey key, model::RankGroup group) -> std::optional<VerbTable> {
    const bool all_reduce = key.first == model::Verb::all_reduce;
    if (all_reduce && group.ranks == all) return VerbTable{cost, true};
    for (auto const& file : verb_tables(options, config))
      if (auto own = file(key, group)) return own;
    const auto derived = all_reduce ? cost_of_group(options, config, group.ranks) : std::nullopt;
    return derived ? std::optional(VerbTable{*derived}) : std::nullopt;
  };
}

}  // namespace

std::vector<Network> make_networks(PredictOptions const& options, Config const& config) {
  auto networks = options.link_latency ? all_stated(options, config) : all_from_tables(options, config);
  for (auto& network : networks) {
    network = what_if(network, options.latency_scale, options.bandwidth_scale);
    add_tables(network, options, config);
  }
  if (options.node_latency && std::ranges::none_of(networks, &Network::uses_stated_link)) {
    std::vector<int> ranks;  // not a view, which clang 14 (scripts/fuzz) cannot compile
    std::ranges::transform(networks, std::back_inserter(ranks), &Network::ranks);
    throw std::invalid_argument(
        fmt::format("--node-latency, --node-bandwidth: the prediction for {} ranks does not need them; "
                    "remove these options",
                    fmt::join(ranks, ", ")));
  }
  return networks;
}

Network what_if(Network const& network, double latency_scale, double bandwidth_scale) {
  if (latency_scale == 1 && bandwidth_scale == 1) return network;  // unchanged, without rounding
  Network other = network;
  other.cost =
      model::rescaled(network.cost, model::fit_alpha_beta(network.points), latency_scale, bandwidth_scale);
  settle(other);
  return other;
}

}  // namespace ddproxy
