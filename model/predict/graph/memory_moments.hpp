// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "model/predict/graph/live_memory.hpp"
#include "model/step/step_graph.hpp"
#include "model/step/step_trace.hpp"

namespace ddproxy::model {

/// Bytes of live buffers by kind. Kinds without live buffers may be absent.
using KindBytes = std::map<BufferKind, std::int64_t>;

/// Returns the bytes of all kinds together.
std::int64_t total(KindBytes const& bytes);

/// Returns the bytes of a kind, 0 if it is absent.
std::int64_t bytes_of(KindBytes const& bytes, BufferKind kind);

/// The bytes of the live buffers from `seconds` until the next point.
struct MemoryPoint {
  double seconds = 0;
  KindBytes live = {};
};

/// The memory of one rank at selected moments of a step.
struct MemoryMoments {
  KindBytes start;          ///< before the first task: what is kept from step to step
  KindBytes peak;           ///< at the first moment with the largest total
  double peak_seconds = 0;  ///< the moment of `peak`: seconds from the start of the step
  /// `before_update`: when the first task of the update starts, with the buffers that this task uses.
  /// `after_update`: after the last task of the step. Both are nothing if the step has no update.
  std::optional<KindBytes> before_update = std::nullopt, after_update = std::nullopt;
  /// The live bytes at the peak of each phase: right after the start of the Compute task of this phase with
  /// the largest LiveMemory::during.
  std::map<Phase, KindBytes> phases = {};
  /// One point for each moment at which memory changes, sorted by time; the first is at 0.
  std::vector<MemoryPoint> timeline = {};
};

/// Returns the moments of a step. live_memory() defines when a buffer is live; the total of `peak` is
/// LiveMemory::peak.
MemoryMoments memory_moments(StepGraph const& graph, StepTrace const& trace);

}  // namespace ddproxy::model
