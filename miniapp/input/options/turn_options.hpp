// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ddproxy {

/// The options of `ddproxy sweep` in `scripts/gate`. The gate starts both builds once in each round, and lets
/// them measure in turns (docs/glossary.md: round, turn).
struct TurnOptions {
  std::filesystem::path go, ready;    ///< named pipes of --turns; empty: the program measures without turns
  std::optional<std::uint64_t> seed;  ///< seed for the order of the cases; nothing: a random seed
  std::string session;                ///< name of the gate's session, the same in all its files
  std::optional<int> round;  ///< number of the gate's round, from 1; nothing: not started by the gate
  /// Processors for pin_rank() (miniapp/cores/pinning.hpp), with one entry for each rank of the node, for
  /// instance "0" or "0-3". An empty list pins no rank.
  std::vector<std::string> compute_cores, communication_cores;
  std::string slow_operator;  ///< tests only: KIND:SHARE slows down operators of this kind by this share
};

}  // namespace ddproxy
