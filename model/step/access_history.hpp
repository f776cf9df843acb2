// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "model/step/slice_map.hpp"
#include "model/step/step_graph.hpp"

namespace ddproxy::model {

/// Finds the earlier tasks that a task must not overtake. Two accesses of one element conflict unless both
/// only read. A read with Access::last_use counts as a write. For each element the class keeps the last
/// writer, and the last reader on each lane since that write. These tasks are enough, because every earlier
/// access is ordered before one of them. An access to a part of a slice (Access::part) counts as an access to
/// the whole slice.
///
/// Order of calls, for each task in the order of StepGraph::tasks: conflicts(), then record().
class AccessHistory {
 public:
  /// Makes a history without tasks for these buffers, whose ids are their indices. Keeps no reference to
  /// `buffers`.
  explicit AccessHistory(std::vector<Buffer> const& buffers);
  /// Makes a history without buffers. add() adds them.
  AccessHistory() = default;

  /// Adds a buffer, with the next id.
  void add(Buffer const& buffer) { elements_.emplace_back(buffer.elements); }

  /// Returns those of the kept writers and readers whose accesses conflict with the accesses of `task`. Each
  /// task is listed once; ids are in ascending order.
  std::vector<TaskId> conflicts(Task const& task);

  /// Records the accesses of a task.
  void record(TaskId id, Task const& task);

 private:
  struct Users {
    std::optional<TaskId> writer;
    std::map<Lane, TaskId> readers;  // the last reader on each lane since the writer
  };

  std::vector<SliceMap<Users>> elements_;  // [buffer]
};

}  // namespace ddproxy::model
