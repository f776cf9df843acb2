// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "results/compare/table.hpp"
#include "results/history/history_test.hpp"

namespace ddproxy::results {

/// Returns the table of `compare --history`: one row per case, and the decision as a whole. The decision is
/// slower if any case is slower. Otherwise it is undecided if the newest night could not show a slowdown of
/// the mean over the cases by `at_least` (relative) with a power of 80 %, or if it lacks a case.
Table table_of(HistoryTest const& test, double at_least);

}  // namespace ddproxy::results
