// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/cost/topology.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace ddproxy::model {

double tree_hops(int n) {
  return 2 * std::ceil(std::log2(static_cast<double>(n)));
}

double ring_traffic(int n) {
  return 2.0 * (n - 1) / n;
}

double ring_seconds(int n, Link const& link, double bytes) {
  return 2 * (n - 1) * link.latency + ring_traffic(n) * bytes / link.bandwidth;
}

double tree_seconds(int n, Link const& link, double bytes) {
  if (n == 1) return 0;
  return tree_hops(n) * link.latency + 2 * bytes / link.bandwidth;
}

Placement place(int ranks, int ranks_per_node) {
  if (ranks < 1 || ranks_per_node < 1) {
    throw std::invalid_argument("ranks: " + std::to_string(ranks) + ", ranks per node: " +
                                std::to_string(ranks_per_node) + "; both must be at least 1");
  }
  if (ranks > ranks_per_node && ranks % ranks_per_node != 0) {
    throw std::invalid_argument("ranks: " + std::to_string(ranks) +
                                " is not a multiple of the ranks per node, " +
                                std::to_string(ranks_per_node) + "; fill whole nodes");
  }
  return {ranks, ranks_per_node};
}

double flat_seconds(int n, Link const& link, double bytes) {
  return std::min(ring_seconds(n, link, bytes), tree_seconds(n, link, bytes));
}

double topology_seconds(Placement const& placement, Link const& inside, Link const& between, double bytes) {
  const int nodes = placement.nodes();
  if (nodes == 1) return flat_seconds(placement.ranks, inside, bytes);
  return flat_seconds(placement.ranks_per_node, inside, bytes) + flat_seconds(nodes, between, bytes);
}

std::string ranks_text(int ranks) {
  return std::to_string(ranks) + (ranks == 1 ? " rank" : " ranks");
}

}  // namespace ddproxy::model
