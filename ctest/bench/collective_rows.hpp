// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <benchmark/benchmark.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "miniapp/collectives/drivers/collective_call.hpp"

namespace ddproxy::bench {

inline constexpr double timeout_s = 300;
inline constexpr std::size_t train_length = 100;
inline constexpr std::size_t mib = 1 << 20;

/// The options of bench_collectives.
struct Settings {
  std::size_t largest = 256 * mib, piece = 4 * mib;  ///< bytes of the largest message; most bytes of a piece
  std::size_t iterations = 101;                      ///< the most
};

/// A row of the table.
struct Row {
  model::Verb verb;
  bool train;             ///< train_length messages are started at once; otherwise one after another
  std::size_t group = 1;  ///< calls that are issued as one group; 2: a send and a receive in flight together
  std::size_t bytes = 0;  ///< of one message
};

/// Registers a row for each size from 4 KiB to the largest, four times as long as the one before. `call`
/// names the library or its call in the names of the rows. `measure` fills a row.
void register_rows(Settings const& settings, Row const& row, std::string const& call,
                   std::function<void(benchmark::State&, Row const&)> const& measure);

/// Returns the equal messages of a row in place. They lie one behind the other in an array of `elements`
/// elements and start again at its end. For verbs with parts, a message is rounded down to a multiple of the
/// ranks. A row of sends has two calls for each message (transfers.hpp), and none on a rank without a peer.
std::vector<CollectiveCall> messages(Row const& row, GroupPlace place, std::size_t elements);

}  // namespace ddproxy::bench
