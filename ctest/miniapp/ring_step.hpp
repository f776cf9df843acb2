// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "model/step/graph_builder.hpp"

namespace ddproxy {

/// The number of elements that a rank of ring_step() sends at a time.
inline constexpr std::size_t ring_elements = 3000;

/// Returns the graph of one rank of ring_step(). Its tasks, repeated `turns` times, are a computation, a
/// transfer, and a second computation that uses what was received.
inline model::StepGraph ring_graph(std::size_t rank, std::size_t ranks, int turns) {
  model::GraphBuilder builder;
  const auto buffer = [&] {
    return builder.buffer({.kind = model::BufferKind::activation, .elements = ring_elements});
  };
  const auto out = buffer(), in = buffer();
  const auto access = [](model::BufferId id, model::AccessMode mode, std::size_t op) {
    return model::Access{.buffer = id,
                         .slice = {0, ring_elements},
                         .mode = mode,
                         .content = model::Content::activation,
                         .model = op};
  };
  const auto transfer = [](model::Verb verb, std::size_t peer) {
    return model::Collective{.verb = verb, .communicator = model::CommunicatorId{1}, .root_or_peer = peer};
  };
  const std::size_t left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
  for (int m = 0; m < turns; ++m) {
    builder.task({.work = model::Compute{model::OperatorId{rank}, model::Phase::forward, m},
                  .accesses = {access(out, model::AccessMode::assign, rank)}});
    builder.task(
        {.work = std::vector{transfer(model::Verb::send, right), transfer(model::Verb::receive, left)},
         .accesses = {access(out, model::AccessMode::read, rank),
                      access(in, model::AccessMode::assign, left)},
         .lane = {model::LaneKind::communication, 1}});
    builder.task({.work = model::Compute{model::OperatorId{rank}, model::Phase::forward, m},
                  .accesses = {access(in, model::AccessMode::read, left)}});
  }
  return builder.finish({});
}

/// Returns a step in which each rank of a ring sends its result to the next rank while it receives from the
/// previous rank, `turns` times. The send and the receive are issued as one group. Each rank is a class.
inline model::RankGraphs ring_step(std::size_t ranks, int turns) {
  model::RankGraphs graphs;
  graphs.communicators.resize(2);
  graphs.communicators[1].groups.emplace_back();
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    graphs.communicators[0].groups.push_back({rank});
    graphs.communicators[1].groups[0].push_back(rank);
    graphs.classes.push_back({ring_graph(rank, ranks, turns), {rank}});
  }
  return graphs;
}

}  // namespace ddproxy
