// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/step/access_history.hpp"
#include "model/step/step_graph.hpp"

namespace ddproxy::model {

/// Builds the graph of one rank. What a task waits for follows from its accesses, as in OpenMP's `depend`: a
/// reader waits for the last writer, a writer for the last writer and the readers since. A strategy adds by
/// hand only what the data do not imply, for instance that every collective waits for the end of the backward
/// pass.
class GraphBuilder {
 public:
  BufferId buffer(Buffer const& buffer);

  /// Adds a task behind all others. `task.after` keeps what it has. What the accesses imply is added, save
  /// what the lane's order implies already; of several tasks on one lane only the last is kept.
  TaskId task(Task task);

  /// Returns the graph and leaves the builder empty.
  StepGraph finish(Expected expected);

 private:
  StepGraph graph_;
  AccessHistory history_;
};

}  // namespace ddproxy::model
