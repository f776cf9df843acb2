// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "model/step/strategies/ddp.hpp"

// Strategies are data: what `[sweep] strategies` can name. A new strategy is a file in this folder that
// builds a step graph, and one row of the table in strategy.cpp.

namespace ddproxy::model {

/// How the gradients are divided into buckets.
enum class BucketRule {
  per_tensor,  ///< one bucket a gradient
  flat,        ///< one bucket with every gradient
  cap,         ///< DDP's rule; the strategy is measured once for each cap of the input
  optimal,     ///< the plan with the least predicted T
};

struct Strategy {
  std::string_view name;
  BucketRule buckets;
  /// Whether a bucket may be reduced while the backward pass goes on. Only then are the copies made that the
  /// input asks for.
  bool overlapped;
  /// Builds the graphs of a step with these buckets, copies and wire format on `ranks` ranks.
  RankGraphs (*build)(BackwardPass const& pass, Ddp const& step, std::size_t ranks);
};

/// Returns all rows of the table.
std::span<Strategy const> strategies();

/// Returns the row of that name, or null where there is none.
Strategy const* find_strategy(std::string_view name);

/// Returns the row of that name. Throws std::invalid_argument where there is none.
Strategy const& strategy_named(std::string_view name);

/// Returns "naive, flat, ...", for messages.
std::string list_strategies();

}  // namespace ddproxy::model
