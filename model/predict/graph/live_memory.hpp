// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "model/step/step_graph.hpp"
#include "model/step/step_trace.hpp"

namespace ddproxy::model {

/// Bytes of the live buffers of one rank.
struct LiveMemory {
  std::int64_t at_start = 0;         ///< before the first task starts
  std::vector<std::int64_t> during;  ///< [task]: when it has started, with the buffers that it uses
  std::vector<std::int64_t> after;   ///< [task]: when it has ended
  std::int64_t peak = 0;             ///< the most at any moment
};

/// Follows the live buffers through a step. A buffer is live from the start of the first task that uses it,
/// which writes it, until the last task that uses it has ended. Where `at_entry` holds something it is live
/// from the start of the step, where `at_exit` does until its end. A slot that is filled several times counts
/// in between, too. Where tasks end at the moment at which others start, memory is released first.
LiveMemory live_memory(StepGraph const& graph, StepTrace const& trace);

}  // namespace ddproxy::model
