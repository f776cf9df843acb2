// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "miniapp/input/options/predict_options.hpp"
#include "model/cost/allreduce_cost.hpp"

namespace ddproxy {

/// The all-reduce time a(x) of links that the user states. Nothing was measured.
struct StatedCost {
  model::AllreduceCost cost;
  std::vector<model::CostPoint> points;  ///< a(x) at the powers of two from 4 bytes to 1 TiB
  bool uses_node_link = false;           ///< a(x) depends on --node-latency and --node-bandwidth
};

/// Returns a(x) of `ranks` ranks. It is model::topology_seconds() (model/cost/topology.hpp) with the links
/// that the options state. The options must have --link-latency and --link-bandwidth, which describe the link
/// inside a node. --node-latency and --node-bandwidth describe the link between nodes. `per_node` is the
/// number of ranks on a node; 0: unknown.
///
/// Throws std::invalid_argument if `ranks` is 1, if `per_node` is 0, if the ranks do not fill whole nodes, if
/// there are several nodes and no link between them, or if the seconds are too large to add.
StatedCost cost_of_stated_links(int ranks, int per_node, PredictOptions const& options);

}  // namespace ddproxy
