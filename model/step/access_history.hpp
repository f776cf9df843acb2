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
/// only read. Of each element it keeps the last writer, and the last reader since then on each lane: what
/// came earlier is ordered before one of these. The part of a slice that belongs to one rank counts as the
/// whole slice.
class AccessHistory {
 public:
  explicit AccessHistory(std::vector<Buffer> const& buffers);
  AccessHistory() = default;

  /// A buffer more, as the last one.
  void add(Buffer const& buffer) { elements_.emplace_back(buffer.elements); }

  /// Returns the tasks whose accesses conflict with those of `task`, each once, rising. Tasks are given in
  /// the order of the graph's list.
  std::vector<TaskId> conflicts(Task const& task);

  /// Notes the accesses of a task.
  void record(TaskId id, Task const& task);

 private:
  struct Users {
    std::optional<TaskId> writer;
    std::map<Lane, TaskId> readers;  // since the writer
  };

  std::vector<SliceMap<Users>> elements_;  // [buffer]
};

}  // namespace ddproxy::model
