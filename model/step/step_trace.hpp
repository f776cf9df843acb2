// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace ddproxy::model {

/// When one rank carried out a task, in seconds from the start of the step.
struct TaskTimes {
  /// The time at which the lane was free and everything that the task waits for had ended. A collective
  /// starts when its last member is ready. Every other task starts when it is ready.
  double ready;
  double start;
  double end;
};

/// The measured or simulated step of one rank.
struct StepTrace {
  std::vector<TaskTimes> tasks;  ///< [task of the graph]
};

/// A trace that holds for each rank of `ranks`.
struct ClassTrace {
  std::size_t rank_class;  ///< index into RankGraphs::classes: the class whose graph was carried out
  std::vector<std::size_t> ranks;
  StepTrace trace;
};

/// The step of all ranks. Every rank is in exactly one of `classes`.
struct StepTraces {
  std::vector<ClassTrace> classes;
  std::vector<std::string> warnings;  ///< reasons why the times are less certain, one sentence each
  /// Returns when the last task of any rank ends, in seconds from the start of the step.
  double end() const;
};

}  // namespace ddproxy::model
