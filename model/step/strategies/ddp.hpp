// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "model/step/step_graph.hpp"
#include "model/step/strategies/ddp_settings.hpp"
#include "model/transformer/gpt2.hpp"

namespace ddproxy::model {

/// Builds the graph of a backward pass with its all-reduces, for `ranks` ranks that all have the same graph.
///
/// Operator ids are indices into BackwardPass::operations. The buffers contain the gradients in ready order.
/// All operators and copies run on the compute lane, all all-reduces on communication lane 0. After the last
/// operator of the backward pass, and its copies into buckets, a HostWait makes the host wait for their end.
/// With overlap the HostWait comes after the all-reduces in StepGraph::tasks. Without overlap it comes before
/// the all-reduces, and they wait for it. An empty plan gives the backward pass without communication.
RankGraphs ddp(BackwardPass const& pass, Ddp const& strategy, std::size_t ranks);

}  // namespace ddproxy::model
