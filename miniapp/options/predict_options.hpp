// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ddproxy {

/// What `ddproxy predict` was asked for. Empty, 0 or nothing: not given.
struct PredictOptions {
  using Path = std::filesystem::path;
  Path gradients;    ///< CSV name,numel,seconds
  Path layer_sizes;  ///< CSV layer,numel
  Path layer_times;  ///< CSV layer,seconds
  bool forward_order = false;

  std::vector<Path> allreduce;   ///< CSV bytes,seconds[,ranks]
  std::vector<int> table_ranks;  ///< of the tables without that column, in their order
  std::vector<int> ranks;
  int ranks_per_node = 0;
  std::optional<double> node_latency;         ///< seconds
  std::optional<double> node_bandwidth_GBps;  ///< 1e9 bytes/s
  double latency_scale = 1;
  double bandwidth_scale = 1;

  std::vector<double> caps_mib;
  double first_bucket_mib = 0;
  double kappa = 1;
  double gamma = 1;
  Path contention;     ///< CSV bytes,kappa,gamma: both by message size
  std::string copies;  ///< none, in or in+out
  double copy_bandwidth_GBps = 0;
  std::string precision;
  std::string wire;  ///< fp32 or bf16

  std::vector<Path> measured;  ///< CSV bucket_mib,seconds: the first was measured, others are predictions
  bool pytorch = false;
  bool sensitivity = false;
  Path csv;
};

}  // namespace ddproxy
