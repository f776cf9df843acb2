// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "miniapp/input/config.hpp"
#include "miniapp/options/predict_options.hpp"
#include "model/cost/allreduce_cost.hpp"

namespace ddproxy {

/// The cost of an all-reduce, a(x), for a number of ranks, and where it comes from.
struct Network {
  int ranks = 0;  ///< 0: the ranks of the table, which does not say how many
  model::AllreduceCost cost;
  std::vector<model::CostPoint> points;  ///< a(x) at the sizes of the table that it is based on
  std::vector<std::string> warnings;
  bool uses_stated_link = false;  ///< a(x) depends on --node-latency and --node-bandwidth
  bool raised = false;            ///< a(x) would fall as bytes grow, so its running maximum is used
};

/// Returns one network for each number of --ranks, in that order. Without --ranks, returns the single network
/// that the tables or the input file describe. The options --latency-scale and --bandwidth-scale change a(x).
///
/// Throws std::invalid_argument in these cases: there is no table; there are several and none is chosen; a
/// table does not say its ranks although they matter; the link of a node is stated but no network uses it.
/// Throws also as model::cost_for_ranks() does.
std::vector<Network> make_networks(PredictOptions const& options, Config const& config);

/// Returns the network after the latency and the bandwidth of the affine fit of a(x) are multiplied by the
/// scales. a(x) changes by the same ratio as its fit.
Network what_if(Network const& network, double latency_scale, double bandwidth_scale);

}  // namespace ddproxy
