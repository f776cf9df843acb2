// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace ddproxy {

/// The options of `ddproxy account`. If an option is not given, its member keeps the value below.
struct AccountOptions {
  std::string preset;       ///< a preset, or "xxl-ffn", instead of an input file; empty: not given
  std::string precision;    ///< fp32 or bf16; empty: fp32 with an input file, bf16 with --preset
  std::int64_t tokens = 0;  ///< tokens of a rank in a micro-batch; 0: as in the input, or 1024 with --preset
  /// Number of ranks whose communication is counted. Not given: 8, or eight groups with [shard] group.
  std::optional<int> ranks;
  std::optional<double> peak_flops;           ///< peak flop/s of one device; replaces [machine] peak_flops
  std::optional<double> link_bandwidth_GBps;  ///< bandwidth of a link, both directions together, 1e9 bytes/s
  double shard_links = 1;                     ///< links of one device that carry shards of parameters
  double tensor_links = 1;                    ///< other links of one device, which carry parts of activations
  int tensor_ranks = 1;                       ///< devices that share each block by tensor parallelism
  std::optional<double> device_gb;            ///< memory of one device, 1e9 bytes; replaces [machine] memory
};

}  // namespace ddproxy
