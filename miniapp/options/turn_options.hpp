// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ddproxy {

/// How `ddproxy sweep` takes part in a round of `scripts/gate`, which runs two builds in turns.
struct TurnOptions {
  std::filesystem::path go, ready;    ///< named pipes of --turns; empty: the program runs by itself
  std::optional<std::uint64_t> seed;  ///< of the order of the cases; nothing: a random one
  std::string session;                ///< name of the gate's start, the same in all its files
  std::optional<int> round;           ///< from 1; nothing: the run is no round of a gate
  /// Processors, one entry for each rank of the node, for instance "0" or "0-3"; empty: not pinned.
  std::vector<std::string> compute_cores, communication_cores;
  std::string slow_operator;  ///< tests only: this kind of operator takes longer, KIND:SHARE
};

}  // namespace ddproxy
