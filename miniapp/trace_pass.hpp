// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "miniapp/workbench.hpp"
#include "planner/cases.hpp"

namespace ddproxy {

/// What one rank did in one pass, in seconds from the start of its pass.
struct RankTrace {
  std::vector<double> operation_end;
  std::vector<model::Interval> reductions;
};

/// Runs one more pass of a case, none of its samples, and notes when each operation ended and each bucket was
/// reduced. Collective; on rank 0 one trace a rank, empty elsewhere.
std::vector<RankTrace> trace_pass(Workbench& bench, Case const& item);

}  // namespace ddproxy
