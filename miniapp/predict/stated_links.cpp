// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/predict/stated_links.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "model/cost/topology.hpp"

namespace ddproxy {
namespace {

constexpr std::int64_t smallest = 4, largest = std::int64_t{1} << 40;  // bytes at which a(x) is listed

model::Placement place(int ranks, int per_node, bool has_node_link) {
  if (ranks == 1) throw std::invalid_argument("--ranks 1: one rank alone reduces nothing; give 2 or more");
  if (per_node == 0)
    throw std::invalid_argument(
        "--link-latency, --link-bandwidth: the number of ranks on a node is not known; give --ranks-per-node "
        "N. If the ranks need several nodes, also give --node-latency SECONDS and --node-bandwidth GBPS");
  const auto placement = model::place(ranks, per_node);
  if (placement.nodes() > 1 && !has_node_link)
    throw std::invalid_argument(
        fmt::format("{} need {} nodes: give the latency and the bandwidth of the link between nodes, "
                    "--node-latency SECONDS and --node-bandwidth GBPS",
                    model::ranks_text(ranks), placement.nodes()));
  return placement;
}

std::vector<model::CostPoint> list(model::AllreduceCost const& cost) {
  std::vector<model::CostPoint> points;
  for (auto bytes = smallest; bytes <= largest; bytes *= 2) points.push_back({bytes, cost(bytes)});
  if (!std::isfinite(points.back().seconds))
    throw std::invalid_argument(
        "predict: the all-reduce times are too large to add up; check --link-latency and --link-bandwidth "
        "(GB/s), --node-latency and --node-bandwidth");
  return points;
}

}  // namespace

StatedCost cost_of_stated_links(int ranks, int per_node, PredictOptions const& options) {
  const auto placement = place(ranks, per_node, options.node_latency.has_value());
  const model::Link inside{*options.link_latency, *options.link_bandwidth_GBps * 1e9};
  const model::Link between{options.node_latency.value_or(0), options.node_bandwidth_GBps.value_or(1) * 1e9};
  const model::AllreduceCost cost = [=](std::int64_t bytes) {
    return bytes > 0 ? model::topology_seconds(placement, inside, between, static_cast<double>(bytes)) : 0.0;
  };
  return {cost, list(cost), placement.nodes() > 1};
}

}  // namespace ddproxy
