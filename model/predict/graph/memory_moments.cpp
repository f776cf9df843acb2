// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/predict/graph/memory_moments.hpp"

#include <algorithm>

namespace ddproxy::model {
namespace {

KindBytes at_start(StepGraph const& graph) {
  KindBytes bytes;
  for (Buffer const& buffer : graph.buffers)
    if (buffer.at_entry.content != Content::nothing)
      bytes[buffer.kind] += static_cast<std::int64_t>(buffer.elements) * bytes_of(buffer.type);
  return bytes;
}

/// Follows the changes. Sets `start`, `peak` and the timeline.
void follow(MemoryMoments& moments, StepGraph const& graph, LiveMemory const& memory) {
  moments.start = at_start(graph);
  moments.peak = moments.start;
  moments.timeline.push_back({0, moments.start});
  KindBytes live = moments.start;
  std::int64_t bytes = total(live), most = bytes;
  for (MemoryChange const& change : memory.changes) {
    live[graph.buffers[change.buffer].kind] += change.bytes;
    bytes += change.bytes;
    if (bytes > most) {
      most = bytes;
      moments.peak = live;
      moments.peak_seconds = change.seconds;
    }
    if (moments.timeline.back().seconds == change.seconds)
      moments.timeline.back().live = live;
    else
      moments.timeline.push_back({change.seconds, live});
  }
}

/// Returns the bytes of the live buffers at `seconds`, after the changes at that time.
KindBytes const& live_at(std::vector<MemoryPoint> const& timeline, double seconds) {
  const auto next = std::ranges::upper_bound(timeline, seconds, {}, &MemoryPoint::seconds);
  return next == timeline.begin() ? timeline.front().live : (next - 1)->live;
}

}  // namespace

std::int64_t total(KindBytes const& bytes) {
  std::int64_t sum = 0;
  for (auto const& [kind, of_kind] : bytes) sum += of_kind;
  return sum;
}

std::int64_t bytes_of(KindBytes const& bytes, BufferKind kind) {
  const auto found = bytes.find(kind);
  return found == bytes.end() ? 0 : found->second;
}

MemoryMoments memory_moments(StepGraph const& graph, StepTrace const& trace) {
  const LiveMemory memory = live_memory(graph, trace);
  MemoryMoments moments;
  follow(moments, graph, memory);
  std::map<Phase, std::size_t> largest;  // the task with the most live bytes
  for (std::size_t t = 0; t < graph.tasks.size(); ++t) {
    auto const* compute = std::get_if<Compute>(&graph.tasks[t].work);
    if (!compute) continue;
    const auto [found, is_first] = largest.try_emplace(compute->phase, t);
    if (memory.during[t] > memory.during[found->second]) found->second = t;
    if (compute->phase != Phase::update || !is_first) continue;
    moments.before_update = live_at(moments.timeline, trace.tasks[t].start);
    moments.after_update = moments.timeline.back().live;
  }
  for (auto const& [phase, task] : largest)
    moments.phases[phase] = live_at(moments.timeline, trace.tasks[task].start);
  return moments;
}

}  // namespace ddproxy::model
