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

/// One measured table with the number of ranks that it was measured on.
struct RankedTable {
  int ranks;
  std::vector<CostPoint> points;
};

/// a(x) for a number of ranks.
struct RankedCost {
  AllreduceCost cost;
  bool measured = false;              ///< there is a table for these ranks
  int based_on = 0;                   ///< ranks of the table that was taken
  bool uses_statement = false;        ///< the stated link of a node is part of it
  std::vector<std::string> warnings;  ///< what the figure assumes
};

/// a(x) for the ranks of `placement`: the table of that many ranks, else the nearest table times the ratio of
/// the forms of model/cost/topology.hpp, the links calibrated on the tables (smallest latency and bandwidth
/// that make the fit of a table: a tree's hops and a ring's bytes). `between`: latency and bandwidth of a
/// node's link, where no table speaks of several nodes. Throws std::invalid_argument where there is no table,
/// and for several nodes where there is neither a table of several nodes nor `between`.
RankedCost cost_for_ranks(std::span<const RankedTable> tables, Placement const& placement,
                          std::optional<Link> const& between = {});

/// The what-if of another network: a(x) times the change of its affine fit with latency and bandwidth scaled.
/// It can fall as bytes grow: see never_falling(). Throws std::invalid_argument for scales that are not
/// positive.
AllreduceCost rescaled(AllreduceCost const& cost, AlphaBeta const& fit, double latency_scale,
                       double bandwidth_scale);

}  // namespace ddproxy::model
