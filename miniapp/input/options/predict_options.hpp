// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "miniapp/input/words.hpp"

namespace ddproxy {

/// The options of `ddproxy predict`. If an option is not given, its member keeps the value below.
struct PredictOptions {
  using Path = std::filesystem::path;
  Path gradients;              ///< CSV name,numel,seconds
  Path layer_sizes;            ///< CSV layer,numel
  Path layer_times;            ///< CSV layer,seconds
  bool forward_order = false;  ///< `gradients` and `layer_times` have rows in forward order

  std::vector<Path> allreduce;         ///< CSV bytes,seconds[,ranks]
  std::vector<int> table_ranks;        ///< numbers of ranks of the tables without column ranks, in order
  std::vector<int> ranks;              ///< numbers of ranks for which to predict
  int ranks_per_node = 0;              ///< number of ranks on each node; 0: as in the input
  std::optional<double> link_latency;  ///< latency of one hop inside a node, seconds; replaces the tables
  std::optional<double> link_bandwidth_GBps;  ///< bandwidth of one rank's link inside a node, 1e9 bytes/s
  std::optional<double> node_latency;         ///< latency of one hop between nodes, seconds
  std::optional<double> node_bandwidth_GBps;  ///< bandwidth of the link of one node, 1e9 bytes/s
  double latency_scale = 1;                   ///< factor on the latency of the tables
  double bandwidth_scale = 1;                 ///< factor on the bandwidth of the tables

  std::vector<double> caps_mib;    ///< bucket caps, MiB; empty: the caps of the input, or the default caps
  double first_bucket_mib = 0;     ///< cap of the first bucket, MiB; 0: as in the input
  double kappa = 1;                ///< relative speed of compute while a collective is in flight, in (0, 1]
  double gamma = 1;                ///< relative speed of a collective while compute runs, in (0, 1]
  Path contention;                 ///< CSV bytes,kappa,gamma; bytes on the wire
  std::string copies;              ///< none, in or in+out; empty: as in the input
  double copy_bandwidth_GBps = 0;  ///< 1e9 bytes of gradients/s that are copied; 0: [machine] bandwidth / 2
  std::string precision;           ///< precision of compute, for the roofline; empty: as in the input
  std::string wire;                ///< fp32 or bf16; empty: as in the input

  std::vector<Path> measured;  ///< CSV bucket_mib,seconds: first the measured T(b), then predictions of it
  std::vector<model::ShardStage> shard;  ///< stages of sharding that are tabulated; empty: no table
  bool pytorch = false;                  ///< print the arguments for PyTorch's DistributedDataParallel
  bool sensitivity = false;  ///< tabulate the best cap and E over bytes, latency, bandwidth and ranks
  Path csv;                  ///< path of the table as CSV; empty: none is written
};

}  // namespace ddproxy
