// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "model/step/step_graph.hpp"
#include "model/step/step_trace.hpp"

namespace ddproxy::model {

/// Bytes of the live buffers of one kind.
struct KindMemory {
  /// Bytes of this kind at the moment of LiveMemory::peak, or at the first such moment if there are several.
  std::int64_t at_peak = 0;
  std::int64_t peak = 0;  ///< largest number of bytes of this kind at any moment
};

/// A buffer that becomes live, or that is released.
struct MemoryChange {
  double seconds;      ///< from the start of the step
  std::size_t buffer;  ///< index into StepGraph::buffers
  std::int64_t bytes;  ///< bytes that are added to the live buffers; less than 0: the buffer is released
};

/// Bytes of the live buffers of one rank.
struct LiveMemory {
  std::int64_t at_start = 0;  ///< bytes before the first task starts
  /// One value for each task: bytes after the task has started, with the buffers that it uses
  std::vector<std::int64_t> during = {};
  std::vector<std::int64_t> after = {};         ///< one value for each task: bytes after the task has ended
  std::int64_t peak = 0;                        ///< largest number of bytes at any moment
  std::map<BufferKind, KindMemory> kinds = {};  ///< only kinds that had a live buffer at some moment
  /// The changes after the start of the step, in their order. Buffers that are live before the first task are
  /// not listed.
  std::vector<MemoryChange> changes = {};
};

/// Returns the bytes of the live buffers over a step. A buffer is live from the start of the first task that
/// uses it until the last task that uses it has ended. It is live from the start of the step if its
/// Buffer::at_entry has content, and to the end of the step if its Buffer::at_exit has content. A buffer that
/// is filled several times is also live between two fillings. If one task ends at the moment when another one
/// starts, the memory of the first task is released before the second task uses any.
LiveMemory live_memory(StepGraph const& graph, StepTrace const& trace);

}  // namespace ddproxy::model
