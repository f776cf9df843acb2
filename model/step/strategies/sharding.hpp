// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "model/step/step_graph.hpp"

// How the state of training is divided among the ranks of a step (Rajbhandari et al., "ZeRO: Memory
// Optimizations Toward Training Trillion Parameter Models", SC 2020; Zhao et al., "PyTorch FSDP", VLDB 2023).
//
// Layout of the shards. A bucket or a unit is a run of consecutive tensors in ready order. Only the root unit
// of FSDP consists of two such runs, each with its own shards. Let a run have N elements, and let n ranks
// share it. A shard has ceil(N / n) elements, so padding at the end of the run extends it to n ceil(N / n)
// elements. The rank at place p has ceil(N / n) elements of the run, from element p ceil(N / n) on. The last
// shards may consist partly or wholly of padding. Collectives transfer the padding, except broadcasts.
// Compute tasks leave the padding out.
namespace ddproxy::model {

struct BackwardPass;
struct ForwardPass;
struct Strategy;

/// A way of sharding: a row of shard_table.inc. Other code reads the facts of the row (ShardWay) and does not
/// test which stage it is.
enum class ShardStage {
#define DDPROXY_SHARDING(word, function, ...) word,
#include "model/step/strategies/shard_table.inc"
#undef DDPROXY_SHARDING
};

/// The parameters that are gathered together.
enum class ShardUnit {
  layer,  ///< each transformer block is a unit; all other parameters form the root unit
  whole,  ///< the whole model is one unit
};

struct ShardWay;

/// How a step is divided. The members after `stage` are used by some stages only (ShardWay::keys).
struct Sharding {
  ShardStage stage = ShardStage::none;
  ShardUnit unit = ShardUnit::layer;
  bool reshard_after_forward = true;  ///< true: a block is released after its forward pass and gathered again
  int prefetch = 1;                   ///< number of units whose gather may run ahead of compute
  std::size_t group = 0;  ///< ranks that share a unit; 0: all ranks. Must divide the number of ranks
  Verb reduce = Verb::reduce_scatter;  ///< how gradients are averaged: reduce_scatter or all_reduce
  /// How updated parameters reach all ranks: all_gather, or a broadcast of each shard.
  Verb update = Verb::all_gather;
  int lanes = 1;  ///< 1: gathers and reductions use one communicator; 2: each has its own

  /// Returns the row of the stage.
  ShardWay const& way() const;
};

/// The ranks whose graphs are built.
enum class RankClasses {
  all,    ///< all ranks
  first,  ///< rank 0 stands for all ranks. It has the largest shards, so its memory and its time are those of
          ///< the step. This saves time with thousands of ranks, most of which may differ in their graphs
};

/// The parts of the state of training that are divided among the ranks. Every rank keeps the other parts
/// undivided.
struct DividedState {
  bool optimizer = false;
  bool gradients = false;  ///< true: every micro-batch averages its gradients; Sync has no effect
  bool parameters = false;
  constexpr bool any() const { return optimizer || gradients || parameters; }
};

/// The members of Sharding that a stage uses. Besides `stage`, an input can give only these keys in [shard].
struct ShardKeys {
  bool unit = false, reshard_after_forward = false, prefetch = false, group = false;
  bool reduce = false, update = false, lanes = false;
};

/// A row of shard_table.inc: the facts about a way of sharding.
struct ShardWay {
  ShardStage stage;
  std::string_view name;  ///< its word in inputs, options and results
  /// Builds the graphs of a step. whole_step() (whole_step.hpp) checks the arguments and calls it.
  RankGraphs (*build)(BackwardPass const& pass, ForwardPass const& forward, std::int64_t tokens,
                      Strategy const& strategy, std::size_t ranks, RankClasses classes);
  DividedState divided = {};
  bool has_units = false;  ///< true: gathers and reduces units (ShardUnit), not the buckets of a plan
  ShardKeys keys = {};
  /// The defaults of Sharding::reduce and Sharding::update for an input without these keys. The closed forms
  /// use them for a stage that does not have these keys.
  Verb reduce = Verb::reduce_scatter, update = Verb::all_gather;
  std::string_view name_in_groups = {};  ///< its name in tables if groups of ranks share a unit
};

/// Returns all rows of the table, in the order of shard_table.inc.
std::span<ShardWay const> shard_ways();

/// Returns the row of a stage.
ShardWay const& way_of(ShardStage stage);

/// Returns the default settings of a stage: those that apply if an input gives no key of [shard] except the
/// stage.
Sharding default_sharding(ShardStage stage);

}  // namespace ddproxy::model
