// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/cost/allreduce_cost.hpp"
#include "model/cost/topology.hpp"

namespace ddproxy::model {

/// One measured table of a(x) and the number of ranks on which it was measured.
struct RankedTable {
  int ranks;
  std::vector<CostPoint> points;
};

/// The all-reduce time a(x) (allreduce_cost.hpp) for a number of ranks, and where it comes from.
struct RankedCost {
  AllreduceCost cost;
  bool measured = false;              ///< true if a table was measured on this number of ranks
  int based_on = 0;                   ///< number of ranks of the table that was used
  bool uses_statement = false;        ///< true if `cost` uses the latency and bandwidth that the user gave
  std::vector<std::string> warnings;  ///< assumptions behind `cost`, one sentence each
};

/// Returns a(x) for the ranks of `placement`. If a table was measured on this number of ranks, a(x)
/// interpolates that table. Otherwise a(x) is taken from the table with the nearest number of ranks, times a
/// ratio. The ratio is topology_seconds() (model/cost/topology.hpp) for the wanted ranks, divided by
/// topology_seconds() for the ranks of the table. For a placement on several nodes only tables of several
/// nodes are considered, and for a placement in one node only tables of one node.
///
/// The links for topology_seconds() come from the tables. A table's fit alpha + x / beta gives the latency
/// alpha / tree_hops(n) and the bandwidth beta * ring_traffic(n) of a link, for n ranks. For the link between
/// nodes, n is the number of nodes, and the seconds of an all-reduce inside a node are first subtracted from
/// the table.
///
/// `between` is the latency and bandwidth of a node's link. It is used if the placement has several nodes but
/// no table covers several nodes. Then a(x) is the time of an all-reduce inside a node, from a table of one
/// node, plus the time of an all-reduce between the nodes. Throws std::invalid_argument if the tables do not
/// suffice. A placement in one node needs a table of one node with two ranks or more. A placement on several
/// nodes needs a table of several nodes, or `between` and a table of one node.
RankedCost cost_for_ranks(std::span<const RankedTable> tables, Placement const& placement,
                          std::optional<Link> const& between = {});

/// Returns a(x) for a hypothetical network: the measured a(x) times a ratio. The ratio is the affine fit with
/// scaled latency and bandwidth, divided by the fit itself. The result can decrease with the bytes: see
/// never_falling(). Throws std::invalid_argument for scales that are not positive.
AllreduceCost rescaled(AllreduceCost const& cost, AlphaBeta const& fit, double latency_scale,
                       double bandwidth_scale);

}  // namespace ddproxy::model
