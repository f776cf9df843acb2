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
  /// Bytes of the largest message (in a train: of all its messages together), and of the largest piece.
  std::size_t largest = 256 * mib, piece = 4 * mib;
  std::size_t iterations = 101;  ///< most iterations of a row
};

/// A row of the output.
struct Row {
  model::Verb verb;
  bool train;             ///< true: starts train_length messages, then waits; false: waits after each
  std::size_t group = 1;  ///< calls that are issued as one group; 2: a send and a receive at the same time
  std::size_t lanes = 1;  ///< 2: a row of two_lane_rows.hpp
  std::size_t bytes = 0;  ///< of one message
};

/// Registers a row like `row` for each message size: 4 KiB, 16 KiB, 64 KiB and so on, up to settings.largest.
/// If row.train is true, all messages of a train together have at most settings.largest bytes. `call` becomes
/// a part of the names: "blocking", "nonblocking" or "nccl". `measure` runs and reports a row.
void register_rows(Settings const& settings, Row const& row, std::string const& call,
                   std::function<void(benchmark::State&, Row const&)> const& measure);

/// Returns the calls of a row, in place, one for each message. The messages have equal sizes. A train has
/// train_length messages; another row has 1 to 64, together about 256 KiB if possible. The messages lie one
/// behind the other in an array of `elements` elements. When the array is full, the next message starts at
/// the beginning of the array again. For verbs with parts, the elements of a message are rounded down to a
/// multiple of the number of ranks. A row of sends has two calls for each message (transfers.hpp), and none
/// on a rank without a peer.
std::vector<CollectiveCall> messages(Row const& row, GroupPlace place, std::size_t elements);

}  // namespace ddproxy::bench
