// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "model/step/strategies/ddp.hpp"

// The strategies that `[sweep] strategies` of an input file can name, as a table. To add a strategy, add a
// file to this folder with a function that builds step graphs, and a row to table.inc. CMake compiles all
// files of this folder.

namespace ddproxy::model {

/// How the gradients are divided into buckets.
enum class BucketRule {
  per_tensor,  ///< one bucket for each gradient
  flat,        ///< one bucket with every gradient
  cap,         ///< DDP's rule; the strategy is measured once for each cap of the input
  optimal,     ///< the plan with the smallest predicted T
};

/// A strategy with a name: a row of the table. A sweep runs it without sharding (strategy.hpp has sharding).
struct NamedStrategy {
  std::string_view name;
  BucketRule buckets;
  /// True if a bucket may be reduced while the backward pass runs. If false, the copies that the input asks
  /// for are not made.
  bool overlapped;
  /// Builds the graphs of a step for `ranks` ranks, with the buckets, copies and wire format of `step`.
  RankGraphs (*build)(BackwardPass const& pass, Ddp const& step, std::size_t ranks);
};

/// Returns all rows of the table, in the order of table.inc.
std::span<NamedStrategy const> strategies();

/// Returns the row of this name, or null if there is none.
NamedStrategy const* find_strategy(std::string_view name);

/// Returns the row of this name. Throws std::invalid_argument if there is none.
NamedStrategy const& strategy_named(std::string_view name);

/// Returns why a sweep cannot run and predict the graphs of a row. Returns an empty text if it can. A sweep
/// needs one graph for all ranks. The graph may contain the backward pass of one micro-batch, copies,
/// HostWaits, and all-reduces on communication lane 0 that average over all ranks. It may have one buffer of
/// gradients and one of buckets, but no other buffers. Other steps are for `ddproxy step` (docs/steps.md, "A
/// way of sharding").
std::string unfit_for_sweep(RankGraphs const& graphs);

/// Returns the names of all strategies for messages: "naive, flat, ...".
std::string list_strategies();

}  // namespace ddproxy::model
