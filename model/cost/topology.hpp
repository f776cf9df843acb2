// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace ddproxy::model {

/// Cost of one hop of a collective.
struct Link {
  double latency;    ///< seconds per hop
  double bandwidth;  ///< bytes/s that one rank (inside a node) or one node (between nodes) transfers
};

double ring_traffic(int n);  ///< returns the bytes through each link per byte of the message: 2(n-1)/n
double tree_hops(int n);     ///< returns the hops up and down a binary tree: 2 ceil(log2 n)

/// Returns the seconds of a ring all-reduce (reduce-scatter and all-gather) over n members: 2(n-1) hops and
/// 2(n-1)/n of the bytes through each link (Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005). Returns 0 for n
/// = 1.
double ring_seconds(int n, Link const& link, double bytes);

/// Returns the seconds of a pipelined all-reduce on two binary trees, each with half of the bytes: 2
/// ceil(log2 n) hops and twice the bytes through each link (Sanders, Speck, Traff, Parallel Computing 35(12),
/// 2009). Returns 0 for n = 1.
double tree_seconds(int n, Link const& link, double bytes);

/// Returns the seconds of the faster of ring and tree, over n members with equal links.
double flat_seconds(int n, Link const& link, double bytes);

/// The number of ranks and how they are distributed over nodes.
struct Placement {
  int ranks;
  int ranks_per_node;  ///< at least 1; if larger than `ranks`, there is one node
  int nodes() const { return ranks <= ranks_per_node ? 1 : ranks / ranks_per_node; }
};

/// Returns the placement of `ranks` ranks. Throws std::invalid_argument if a number is not positive, or if
/// the ranks need more than one node and do not fill whole nodes.
Placement place(int ranks, int ranks_per_node);

/// Returns the seconds of a hierarchical all-reduce. The first term is an all-reduce inside a node. With
/// several nodes a second term is added: an all-reduce between the nodes, with all bytes through each node's
/// link. Each term uses the faster of ring and tree.
double topology_seconds(Placement const& placement, Link const& inside, Link const& between, double bytes);

/// Returns "1 rank", "2 ranks" and so on.
std::string ranks_text(int ranks);

}  // namespace ddproxy::model
