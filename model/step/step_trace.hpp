// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

namespace ddproxy::model {

/// When a task was carried out, in seconds from the start of the step.
struct TaskTimes {
  double ready = 0;  ///< all that it waits for on this rank had ended; collectives only, else as `start`
  double start = 0;
  double end = 0;
};

/// One step of one rank: the times of each task, by TaskId. A run measures it, simulate() predicts it.
struct StepTrace {
  std::vector<TaskTimes> tasks;
};

}  // namespace ddproxy::model
