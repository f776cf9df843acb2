// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace ddproxy::model {

/// When one rank carried out a task. Seconds from the start of the step.
struct TaskTimes {
  /// The lane was free and everything that the task waits for had ended. A collective starts when its last
  /// member is ready; every other task starts when it is ready.
  double ready;
  double start;
  double end;
};

/// The step of one rank, as it was measured or simulated.
struct StepTrace {
  std::vector<TaskTimes> tasks;  ///< [task of the graph]
};

/// A trace that holds for each of `ranks`.
struct ClassTrace {
  std::size_t rank_class;  ///< index into RankGraphs::classes: whose graph it is
  std::vector<std::size_t> ranks;
  StepTrace trace;
};

/// The step of all ranks. Every rank is in exactly one of `classes`.
struct StepTraces {
  std::vector<ClassTrace> classes;
  std::vector<std::string> warnings;  ///< what makes the figures less certain, a sentence each
  /// Returns when the last task of any rank ends.
  double end() const;
};

}  // namespace ddproxy::model
