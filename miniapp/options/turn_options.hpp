// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ddproxy {

/// The part that `ddproxy sweep` has in a round of `scripts/gate`, which runs two builds in turns.
struct TurnOptions {
  std::filesystem::path go, ready;    ///< named pipes of --turns; empty: the program runs without turns
  std::optional<std::uint64_t> seed;  ///< seed for the order of the cases; nothing: a random seed
  std::string session;                ///< name of the gate's session, the same in all its files
  std::optional<int> round;  ///< number of the gate's round, from 1; nothing: the run belongs to no gate
  /// Processors, with one entry for each rank of the node, for instance "0" or "0-3". An empty list pins no
  /// rank.
  std::vector<std::string> compute_cores, communication_cores;
  std::string slow_operator;  ///< tests only: KIND:SHARE, an operator of this kind takes longer by this share
};

}  // namespace ddproxy
