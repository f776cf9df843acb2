// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/step/strategies/sharding.hpp"

namespace ddproxy::model {

// Declares the functions that the table names.
#define DDPROXY_SHARDING(word, function, ...)                                                    \
  RankGraphs function(BackwardPass const& pass, ForwardPass const& forward, std::int64_t tokens, \
                      Strategy const& strategy, std::size_t ranks, RankClasses classes);
#include "model/step/strategies/shard_table.inc"
#undef DDPROXY_SHARDING

namespace {

constexpr ShardWay ways[] = {
#define DDPROXY_SHARDING(word, function, ...) \
  {.stage = ShardStage::word, .name = #word, .build = function, __VA_ARGS__},
#include "model/step/strategies/shard_table.inc"
#undef DDPROXY_SHARDING
};

}  // namespace

std::span<ShardWay const> shard_ways() {
  return ways;
}

ShardWay const& way_of(ShardStage stage) {
  return ways[static_cast<std::size_t>(stage)];
}

ShardWay const& Sharding::way() const {
  return way_of(stage);
}

Sharding default_sharding(ShardStage stage) {
  return {.stage = stage, .reduce = way_of(stage).reduce, .update = way_of(stage).update};
}

}  // namespace ddproxy::model
