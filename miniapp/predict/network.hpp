// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "miniapp/input/config.hpp"
#include "miniapp/input/options/predict_options.hpp"
#include "miniapp/input/verb_costs.hpp"
#include "model/cost/allreduce_cost.hpp"

namespace ddproxy {

/// The seconds a(x) of an all-reduce of x bytes on the wire, for a number of ranks, and where they come from.
struct Network {
  int ranks = 0;  ///< number of ranks; 0: unknown, because the table does not say it
  model::AllreduceCost cost;
  std::vector<model::CostPoint> points;  ///< a(x) at the sizes of the table on which it is based
  std::vector<std::string> warnings;
  bool uses_stated_link = false;  ///< a(x) depends on --node-latency and --node-bandwidth
  bool raised = false;            ///< true: a(x) fell as bytes grew, so its running maximum is used
  /// The costs of the collectives of a sharded step, which may run on groups of these ranks. An all-reduce of
  /// all ranks costs `cost`. Other costs come from the tables. If no table has a(x) for the number of ranks
  /// of a group, a(x) is derived in the same way as `cost`, as if the ranks of the group were consecutive.
  /// With --latency-scale or --bandwidth-scale only a(x) is known: the tables of other collectives are not
  /// used.
  VerbTables tables = {};
  int ranks_per_node = 0;           ///< number of ranks on a node; 0: not known
  std::filesystem::path file = {};  ///< the table on which a(x) is based; empty with stated links
};

/// Returns one network for each number in --ranks, in that order. Without --ranks, returns the single network
/// that the tables or the input file describe. With --link-latency and --link-bandwidth there are no tables:
/// see cost_of_stated_links() (stated_links.hpp). a(x) includes the effect of --latency-scale and
/// --bandwidth-scale.
///
/// Throws std::invalid_argument if tables or options are wrong, for instance in these cases:
///
/// - there is no table;
/// - there are several tables, and neither --ranks nor the input chooses one;
/// - there is no table for one of the numbers in --ranks, and a table does not say how many ranks it is for;
/// - there is no table for one of the numbers in --ranks, and the number of ranks on a node is not known;
/// - --node-latency and --node-bandwidth are given, but no network uses them.
///
/// Also throws what model::cost_for_ranks() (model/cost/allreduce_topology.hpp) throws.
std::vector<Network> make_networks(PredictOptions const& options, Config const& config);

/// Returns the network with another latency and bandwidth. The latency and the bandwidth of the affine fit of
/// a(x) are multiplied by the scales, and a(x) changes by the same ratio as this fit. If the result falls as
/// bytes grow, it is replaced by its running maximum.
Network what_if(Network const& network, double latency_scale, double bandwidth_scale);

}  // namespace ddproxy
