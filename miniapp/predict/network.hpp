// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "miniapp/input/config.hpp"
#include "miniapp/options/predict_options.hpp"
#include "model/cost/allreduce_cost.hpp"

namespace ddproxy {

/// a(x) of a number of ranks, with what it rests on.
struct Network {
  int ranks = 0;  ///< 0: those of the table, which does not say
  model::AllreduceCost cost;
  std::vector<model::CostPoint> points;  ///< a(x) at the sizes of its table
  std::vector<std::string> warnings;
  bool uses_stated_link = false;  ///< a(x) rests on --node-latency and --node-bandwidth
  bool raised = false;            ///< a(x) would fall as bytes grow; its running maximum was taken
};

/// One for each of --ranks, in that order; without it the one network that the tables or the input file name.
/// The what-if scales change a(x). Throws std::invalid_argument where there is no table or several to
/// choose from, where a table does not say its ranks and they matter, where a node's link is stated and no
/// network needs it, and as model::cost_for_ranks() does.
std::vector<Network> make_networks(PredictOptions const& options, Config const& config);

/// The network with latency and bandwidth scaled in the affine fit of a(x), and a(x) with it.
Network what_if(Network const& network, double latency_scale, double bandwidth_scale);

}  // namespace ddproxy
