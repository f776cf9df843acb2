// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace ddproxy::model {

/// What one hop of a collective costs.
struct Link {
  double latency;    ///< seconds a hop
  double bandwidth;  ///< bytes/s; inside a node of one rank, between nodes of one node
};

double ring_traffic(int n);  ///< bytes through each link over bytes of the message: 2(n-1)/n
double tree_hops(int n);     ///< 2 ceil(log2 n)

/// Reduce-scatter and all-gather around a ring of n: 2(n-1) hops and 2(n-1)/n of the bytes (Thakur,
/// Rabenseifner, Gropp, IJHPCA 19(1), 2005). 0 for n = 1.
double ring_seconds(int n, Link const& link, double bytes);

/// Up and down two binary trees, each with half of the bytes, pipelined: 2 ceil(log2 n) hops and 2 of the
/// bytes (Sanders, Speck, Traff, Parallel Computing 35(12), 2009). 0 for n = 1.
double tree_seconds(int n, Link const& link, double bytes);

/// The faster of ring and tree among n alike.
double flat_seconds(int n, Link const& link, double bytes);

/// Where ranks sit.
struct Placement {
  int ranks;
  int ranks_per_node;  ///< at least 1; where it is larger than `ranks`, there is one node
  int nodes() const { return ranks <= ranks_per_node ? 1 : ranks / ranks_per_node; }
};

/// Throws std::invalid_argument for ranks that are not positive, or that fill more than one node and are no
/// multiple of it.
Placement place(int ranks, int ranks_per_node);

/// Hierarchical: what one node takes alone, by ring or tree, and, with several, an all-reduce between nodes,
/// by ring or tree, of all bytes through each node's link.
double topology_seconds(Placement const& placement, Link const& inside, Link const& between, double bytes);

/// "1 rank", "2 ranks".
std::string ranks_text(int ranks);

}  // namespace ddproxy::model
