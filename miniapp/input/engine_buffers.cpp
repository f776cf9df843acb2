// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/input/engine_buffers.hpp"

#include <algorithm>
#include <map>

#include "miniapp/input/wire_format.hpp"
#include "model/step/describe.hpp"

namespace ddproxy {
namespace {

// Makes `most` large enough for the i-th collective of a task.
void include(MostElements& most, model::RankGraphs const& step, model::Task const& task, std::size_t i) {
  const auto collective = model::collectives_of(task)[i];
  const std::size_t x = model::full_elements(step, task, i);
  most.of_call = std::max(most.of_call, x);
  if (collective.verb != model::Verb::reduce_scatter) return;
  if (collective.wire == model::DataType::fp32) most.scattered = std::max(most.scattered, x);
  auto const& result = task.accesses.at(1);
  if (result.mode == model::AccessMode::contribute)
    most.added = std::max(most.added, model::elements_of(step, result));
}

int ranks_of(model::RankGraphs const& step, model::CommunicatorId id) {
  return static_cast<int>(step.communicators[model::index(id)].groups.front().size());
}

}  // namespace

std::vector<LaneCalls> lane_calls(model::RankGraphs const& step, model::StepGraph const& graph) {
  std::map<model::Lane, LaneCalls> by_lane;
  for (auto const& task : graph.tasks) {
    const auto collectives = model::collectives_of(task);
    for (std::size_t i = 0; i < collectives.size(); ++i) {
      LaneCalls& lane = by_lane[task.lane];
      lane.ranks = ranks_of(step, collectives[i].communicator);
      include(lane.most, step, task, i);
    }
  }
  std::vector<LaneCalls> lanes;
  for (auto const& [_, lane] : by_lane) lanes.push_back(lane);
  return lanes;
}

std::size_t piece_elements(Config const& config) {
  return static_cast<std::size_t>(config.piece_mib * model::bytes_per_mib) / gradient_element_bytes;
}

EngineBuffers buffers_of_mpi(WireFormat wire, std::size_t piece_elements, int ranks) {
  const std::size_t piece = std::max(piece_elements, static_cast<std::size_t>(ranks));
  return {wire == WireFormat::fp32 ? 0 : piece, piece};
}

std::size_t slot_elements(std::size_t piece_elements, int ranks) {
  return std::max(piece_elements, static_cast<std::size_t>(ranks) + 1);
}

EngineBuffers buffers_of_staged_mpi(WireFormat wire, std::size_t piece_elements, int ranks) {
  const std::size_t slot = slot_elements(piece_elements, ranks);
  EngineBuffers buffers = buffers_of_mpi(wire, slot, ranks);
  buffers.pinned = staging_slots * slot;
  return buffers;
}

std::size_t scattered_in_place(std::size_t x, std::size_t piece_elements, int ranks) {
  const auto n = static_cast<std::size_t>(ranks);
  const std::size_t part = x / n, part_of_piece = std::max<std::size_t>(piece_elements / n, 1);
  return part <= part_of_piece ? part : n * part_of_piece;
}

EngineBuffers buffers_of_nccl(WireFormat wire, MostElements const& most) {
  return {wire == WireFormat::fp32 ? 0 : most.of_call, most.added};
}

}  // namespace ddproxy
