// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "model/step/step_graph.hpp"

// Steps of small models with several kinds of parallelism: DDP, ZeRO, FSDP, HSDP and a pipeline. They show
// that the types of model/step can express these kinds.

namespace ddproxy::model {

/// A model whose operators are layers that run one after another.
struct Layers {
  std::vector<std::size_t> sizes;  ///< [layer] elements of the parameters
  bool tied = false;               ///< the last layer also uses the parameters of the first
  std::size_t offset(std::size_t layer) const;
  std::size_t elements() const { return offset(sizes.size()); }
};

enum class Zero { none, stage1, stage2 };

struct DdpOptions {
  std::size_t ranks = 2;
  std::size_t bucket = 2;  ///< layers per bucket
  int micro_batches = 1;
  Zero zero = Zero::none;
  bool clipped = false;
};

/// Builds a data-parallel step. ZeRO-1 reduce-scatters the buckets in the last micro-batch, updates shards
/// and gathers parameters. ZeRO-2 reduce-scatters the buckets in each micro-batch and adds the results to
/// shards. The buckets of ZeRO-2 use two gradient buffers alternately.
RankGraphs ddp_step(Layers const& model, DdpOptions const& options);

struct FsdpOptions {
  std::size_t shards = 2;    ///< ranks among which a unit is divided
  std::size_t replicas = 1;  ///< more than 1: HSDP
  std::size_t slots = 2;     ///< buffers for units, if `reshard`; slots - 1 units are gathered ahead
  bool reshard = true;       ///< frees a unit after each use; if false, only after its last backward pass
  int micro_batches = 1;
  bool regather = false;    ///< without resharding: gathers again in each micro-batch, as PyTorch does
  bool checkpoint = false;  ///< recomputes a layer's inner activations in the backward pass
  bool clipped = false;
};

/// Builds a fully sharded step, with one unit per layer.
RankGraphs fsdp_step(Layers const& model, FsdpOptions const& options);

/// Builds a 1F1B pipeline with one layer per stage and one stage per rank. With `one_lane` all transfers of a
/// rank are on one lane.
RankGraphs pipeline_step(std::size_t stages, int micro_batches, bool one_lane = false);

}  // namespace ddproxy::model
