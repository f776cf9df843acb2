// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/step/access_history.hpp"
#include "model/step/step_graph.hpp"

namespace ddproxy::model {

/// Builds the graph of one rank.
///
/// What a task waits for follows from its accesses, as with `depend` in OpenMP: a reader waits for the last
/// writer; a writer waits for the last writer and for all readers since then. A strategy adds by hand only
/// what the data do not imply, for instance that every collective waits for the end of the backward pass.
///
/// Order of calls: buffer() for each buffer, then task() for each task, then finish(). The calls of task()
/// must be in an order in which the tasks can run.
class GraphBuilder {
 public:
  /// Adds a buffer and returns its id.
  BufferId buffer(Buffer const& buffer);

  /// Adds a task after all others and returns its id. The task waits for the tasks in `task.after` and for
  /// those that its accesses imply. Only the last of these tasks on each other lane is stored in Task::after.
  /// The order of the tasks on a lane implies all other waits.
  TaskId task(Task task);

  /// Returns the graph and leaves the builder empty. `expected` says what a complete gradient of this rank
  /// consists of, and whether the step clips gradients and updates parameters. check() compares the graph
  /// with `expected`.
  StepGraph finish(Expected expected);

 private:
  StepGraph graph_;
  AccessHistory history_;
};

}  // namespace ddproxy::model
