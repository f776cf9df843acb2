// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ddproxy {

/// The options of `ddproxy memory`. If an option is not given, its member keeps the value below.
struct MemoryOptions {
  std::vector<int> ranks;            ///< numbers of ranks; empty: the default numbers (memory.cpp)
  std::vector<std::string> stages;   ///< words of shard_stage_words(); empty: all of them
  std::vector<std::string> formats;  ///< words of memory_format_words; empty: fp32
  std::optional<double> device_gb;   ///< memory of one device, 1e9 bytes; replaces [machine] memory
};

}  // namespace ddproxy
