// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "model/step/step_graph.hpp"

// Steps of small models in several ways of sharding, to see that the types of model/step carry them.

namespace ddproxy::model {

/// A model whose operators are layers in a row.
struct Layers {
  std::vector<std::size_t> sizes;  ///< elements of the parameters, [layer]
  bool tied = false;               ///< the last layer uses the parameters of the first, besides its own
  std::size_t offset(std::size_t layer) const;
  std::size_t elements() const { return offset(sizes.size()); }
};

enum class Zero { none, stage1, stage2 };

struct DdpOptions {
  std::size_t ranks = 2;
  std::size_t bucket = 2;  ///< layers
  int micro_batches = 1;
  Zero zero = Zero::none;
  bool clipped = false;
};

/// Data parallel. ZeRO-1 reduce-scatters after the last micro-batch, updates shards and gathers parameters;
/// ZeRO-2 reduce-scatters after each micro-batch into an accumulated shard, from two buckets that take turns.
RankGraphs ddp_step(Layers const& model, DdpOptions const& options);

struct FsdpOptions {
  std::size_t shards = 2;    ///< ranks that a unit is spread over
  std::size_t replicas = 1;  ///< more than one: HSDP
  std::size_t slots = 2;     ///< gathered units that fit at once; prefetching one unit ahead takes two
  bool reshard = true;       ///< after the forward pass; else units stay until the end of the step
  int micro_batches = 1;
  bool regather = false;    ///< without resharding: gathers again in each micro-batch, as PyTorch does
  bool checkpoint = false;  ///< recomputes a layer's inner activations in the backward pass
  bool clipped = false;
};

/// Fully sharded, a unit a layer.
RankGraphs fsdp_step(Layers const& model, FsdpOptions const& options);

/// A 1F1B pipeline, a layer a stage, a rank a stage. With `one_lane` all transfers of a rank share a lane.
RankGraphs pipeline_step(std::size_t stages, int micro_batches, bool one_lane = false);

}  // namespace ddproxy::model
