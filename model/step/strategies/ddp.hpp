// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "model/step/bucket_plan.hpp"
#include "model/step/copy_mode.hpp"
#include "model/step/step_graph.hpp"
#include "model/transformer/gpt2.hpp"

namespace ddproxy::model {

/// Distributed data parallel: how the gradients of a backward pass are averaged.
struct Ddp {
  Plan plan;
  /// A bucket is reduced as soon as its last gradient is complete; else every bucket after the backward pass.
  bool overlapped = true;
  CopyMode copies = CopyMode::none;
  DataType wire = DataType::fp32;
};

/// Builds the backward pass of a model on each of `ranks` ranks, with its all-reduces. Operators are
/// BackwardPass::operations, the buffers hold the gradients in ready order. All operators and copies are on
/// the compute lane, all all-reduces on communication lane 0. Once the backward pass has been issued, the
/// host waits for its end (HostWait): before the all-reduces where nothing overlaps, else behind them. The
/// plan covers every gradient; an empty plan makes the backward pass alone.
RankGraphs ddp(BackwardPass const& pass, Ddp const& strategy, std::size_t ranks);

}  // namespace ddproxy::model
