// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/step/step_trace.hpp"

#include <algorithm>

namespace ddproxy::model {

double StepTraces::end() const {
  double last = 0;
  for (ClassTrace const& each : classes) {
    for (TaskTimes const& times : each.trace.tasks) last = std::max(last, times.end);
  }
  return last;
}

}  // namespace ddproxy::model
