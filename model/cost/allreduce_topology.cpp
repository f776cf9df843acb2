// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/cost/allreduce_topology.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace ddproxy::model {
namespace {

constexpr Link free_link{0, std::numeric_limits<double>::infinity()};
/// At least this share of the seconds of a multi-node table is attributed to the network.
constexpr double least_share_of_network = 0.1;

/// Returns the link that follows from the fit for n ranks. The latency assumes a tree, and the bandwidth
/// assumes a ring.
Link link_from(AlphaBeta const& fit, int n) {
  if (n == 1) return free_link;
  return {fit.alpha / tree_hops(n), fit.beta * ring_traffic(n)};
}

bool one_node(RankedTable const& table, int ranks_per_node) {
  return table.ranks <= ranks_per_node;
}

/// Returns the table whose number of ranks is nearest to `placement.ranks`. Nearest means that the ratio of
/// the two numbers is closest to 1. Considers only tables of one node if `of_one_node`, else only tables of
/// several nodes. A table of 1 rank is the last choice, because it has no communication. Returns nullptr if
/// there is no such table.
RankedTable const* nearest(std::span<const RankedTable> tables, Placement const& placement,
                           bool of_one_node) {
  auto distance = [&](RankedTable const& table) {
    if (table.ranks == 1 && placement.ranks > 1) return std::numeric_limits<double>::infinity();
    return std::abs(std::log(static_cast<double>(table.ranks) / placement.ranks));
  };
  RankedTable const* best = nullptr;
  for (RankedTable const& table : tables) {
    if (one_node(table, placement.ranks_per_node) != of_one_node) continue;
    if (best == nullptr || distance(table) < distance(*best)) best = &table;
  }
  return best;
}

/// Returns the link inside a node, from a table of one node with two ranks or more. Without such a table
/// returns a link that costs nothing.
Link calibrate_inside(std::span<const RankedTable> tables, Placement const& placement) {
  RankedTable const* table = nearest(tables, {placement.ranks_per_node, placement.ranks_per_node}, true);
  if (table == nullptr || table->ranks == 1) return free_link;
  return link_from(fit_alpha_beta(table->points), table->ranks);
}

/// Returns the link of a node to the network. It is fitted to the seconds of a multi-node table minus the
/// seconds of the all-reduce inside a node.
Link calibrate_between(RankedTable const& table, int ranks_per_node, Link const& inside) {
  const Placement placement = place(table.ranks, ranks_per_node);
  std::vector<CostPoint> rest = table.points;
  for (CostPoint& point : rest) {
    const double in_node = flat_seconds(ranks_per_node, inside, static_cast<double>(point.bytes));
    point.seconds = std::max(point.seconds - in_node, least_share_of_network * point.seconds);
  }
  return link_from(fit_alpha_beta(rest), placement.nodes());
}

/// Returns the table's cost times topology_seconds() for the wanted ranks, divided by topology_seconds() for
/// the measured ranks.
AllreduceCost scaled_by_form(RankedTable const& table, Placement const& placement, Link const& inside,
                             Link const& between) {
  const Placement measured = place(table.ranks, placement.ranks_per_node);
  return [cost = TableCost(table.points), measured, placement, inside, between](std::int64_t bytes) {
    const double x = static_cast<double>(bytes);
    if (bytes <= 0 || placement.ranks == 1) return 0.0;
    return cost(bytes) * topology_seconds(placement, inside, between, x) /
           topology_seconds(measured, inside, between, x);
  };
}

RankedCost in_one_node(std::span<const RankedTable> tables, Placement const& placement) {
  RankedTable const* table = nearest(tables, placement, true);
  if (table == nullptr) {
    throw std::invalid_argument("all-reduce: no table of one node can be scaled to " +
                                ranks_text(placement.ranks) + "; give a table of at most " +
                                std::to_string(placement.ranks_per_node) + " ranks in one node");
  }
  if (table->ranks == 1)
    throw std::invalid_argument(
        "all-reduce: a table of 1 rank cannot be scaled to more ranks; give a table of two or more ranks");
  const Link inside = link_from(fit_alpha_beta(table->points), table->ranks);
  return {scaled_by_form(*table, placement, inside, free_link),
          false,
          table->ranks,
          false,
          {"the all-reduce time for " + ranks_text(placement.ranks) + " is extrapolated from " +
           ranks_text(table->ranks) + " in one node; to make the prediction more certain, give a table of " +
           ranks_text(placement.ranks)}};
}

RankedCost across_nodes_from_network(std::span<const RankedTable> tables, Placement const& placement,
                                     RankedTable const& table) {
  const Link inside = calibrate_inside(tables, placement);
  const Link between = calibrate_between(table, placement.ranks_per_node, inside);
  RankedCost result{scaled_by_form(table, placement, inside, between),
                    false,
                    table.ranks,
                    false,
                    {"the all-reduce time for " + ranks_text(placement.ranks) + " is extrapolated from " +
                     ranks_text(table.ranks) + "; to make the prediction more certain, give a table of " +
                     ranks_text(placement.ranks)}};
  RankedTable const* node = nearest(tables, placement, true);
  if (placement.ranks_per_node > 1 && (node == nullptr || node->ranks == 1)) {
    result.warnings.push_back(
        "no table has all-reduce times of two or more ranks on one node, so the whole time of an all-reduce "
        "is attributed to the network between nodes; add a table that was measured on one node");
  }
  return result;
}

/// Returns the cost of an all-reduce inside a node plus the cost of an all-reduce between the nodes. The
/// first cost comes from a table, the second from the latency and bandwidth that the user gave.
RankedCost across_nodes_from_statement(std::span<const RankedTable> tables, Placement const& placement,
                                       Link const& between) {
  RankedTable const* table = nearest(tables, {placement.ranks_per_node, placement.ranks_per_node}, true);
  if (table == nullptr) {
    throw std::invalid_argument("all-reduce: the times inside a node are unknown; give a table of one node");
  }
  const Placement node{placement.ranks_per_node, placement.ranks_per_node};
  RankedCost inside = table->ranks == node.ranks
                          ? RankedCost{TableCost(table->points), true, table->ranks, false, {}}
                          : in_one_node(tables, node);
  auto cost = [inside = inside.cost, between, nodes = placement.nodes()](std::int64_t bytes) {
    return inside(bytes) + topology_seconds({nodes, 1}, free_link, between, static_cast<double>(bytes));
  };
  inside.warnings.push_back(
      "the all-reduce time for " + ranks_text(placement.ranks) +
      " is computed from the table of one node and the given latency and bandwidth between nodes; to make "
      "the prediction more certain, give a table of several nodes");
  return {cost, false, table->ranks, true, inside.warnings};
}

}  // namespace

RankedCost cost_for_ranks(std::span<const RankedTable> tables, Placement const& placement,
                          std::optional<Link> const& between) {
  if (tables.empty()) throw std::invalid_argument("all-reduce: no table is given; give one");
  for (RankedTable const& table : tables) {
    if (table.ranks == placement.ranks) return {TableCost(table.points), true, table.ranks, false, {}};
  }
  if (placement.nodes() == 1) return in_one_node(tables, placement);
  if (RankedTable const* table = nearest(tables, placement, false)) {
    return across_nodes_from_network(tables, placement, *table);
  }
  if (between) return across_nodes_from_statement(tables, placement, *between);
  throw std::invalid_argument(
      "all-reduce: " + ranks_text(placement.ranks) + " need " + std::to_string(placement.nodes()) +
      " nodes, but the table covers one node; give a table of several nodes, or the "
      "latency and the bandwidth of the link between nodes (--node-latency SECONDS and "
      "--node-bandwidth GBPS)");
}

AllreduceCost rescaled(AllreduceCost const& cost, AlphaBeta const& fit, double latency_scale,
                       double bandwidth_scale) {
  if (!(latency_scale > 0) || !(bandwidth_scale > 0)) {
    throw std::invalid_argument("what-if: the scales of latency and bandwidth must be positive");
  }
  const AlphaBeta other{fit.alpha * latency_scale, fit.beta * bandwidth_scale};
  return [cost, fit, other](std::int64_t bytes) {
    return bytes <= 0 ? 0.0 : cost(bytes) * other(bytes) / fit(bytes);
  };
}

}  // namespace ddproxy::model
