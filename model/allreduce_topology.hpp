// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/allreduce_cost.hpp"

namespace ddproxy::model {

/// What one hop of a collective costs.
struct Link {
  double latency;    ///< seconds a hop
  double bandwidth;  ///< bytes/s; inside a node of one rank, between nodes of one node
};

/// Reduce-scatter and all-gather around a ring of n: 2(n-1) hops and 2(n-1)/n of the bytes (Thakur,
/// Rabenseifner, Gropp, IJHPCA 19(1), 2005). 0 for n = 1.
double ring_seconds(int n, Link const& link, double bytes);

/// Up and down two binary trees, each with half of the bytes, pipelined: 2 ceil(log2 n) hops and 2 of the
/// bytes (Sanders, Speck, Traff, Parallel Computing 35(12), 2009). 0 for n = 1.
double tree_seconds(int n, Link const& link, double bytes);

/// Where ranks sit.
struct Placement {
  int ranks;
  int ranks_per_node;  ///< at least 1; where it is larger than `ranks`, there is one node
  int nodes() const { return ranks <= ranks_per_node ? 1 : ranks / ranks_per_node; }
};

/// Throws std::invalid_argument for ranks that are not positive, or that fill more than one node and are no
/// multiple of it.
Placement place(int ranks, int ranks_per_node);

/// The faster of ring and tree inside one node. With several nodes hierarchical: reduce-scatter and
/// all-gather by ring in each node, between them an all-reduce across nodes, by ring or tree, of all bytes
/// through each node's link.
double topology_seconds(Placement const& placement, Link const& inside, Link const& between, double bytes);

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
/// the forms above, the links calibrated on the tables (smallest latency and bandwidth that make the fit of a
/// table: a tree's hops and a ring's bytes). `between`: latency and bandwidth of a node's link, where no
/// table speaks of several nodes. Throws std::invalid_argument where there is no table, and for several nodes
/// where there is neither a table of several nodes nor `between`.
RankedCost cost_for_ranks(std::span<const RankedTable> tables, Placement const& placement,
                          std::optional<Link> const& between = {});

/// The what-if of another network: a(x) times the change of its affine fit with latency and bandwidth scaled.
/// It can fall as bytes grow: see never_falling(). Throws std::invalid_argument for scales that are not
/// positive.
AllreduceCost rescaled(AllreduceCost const& cost, AlphaBeta const& fit, double latency_scale,
                       double bandwidth_scale);

}  // namespace ddproxy::model
