// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "miniapp/predict/network.hpp"

namespace ddproxy {

/// Returns the network of `ranks` ranks without any table. a(x) is model::topology_seconds()
/// (model/cost/topology.hpp) with the links that the options state: --link-latency and --link-bandwidth
/// inside a node, --node-latency and --node-bandwidth between nodes. `per_node` is the number of ranks on a
/// node; 0: unknown. A warning says that nothing was measured.
///
/// Throws std::invalid_argument if `ranks` is 1, if `per_node` is 0, if the ranks do not fill whole nodes, if
/// there are several nodes and no link between them, or if the seconds are too large to add.
Network stated_network(int ranks, int per_node, PredictOptions const& options);

}  // namespace ddproxy
