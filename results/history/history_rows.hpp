// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "results/compare/table.hpp"
#include "results/history/history_test.hpp"

namespace ddproxy::results {

/// Returns the table of `compare --history`: a row a case, with its decision as a whole. Slower where a case
/// is; else undecided where the newest night could not show a slowdown of the whole by `at_least`, a share,
/// with a power of 80 %, or lacks a case.
Table table_of(HistoryTest const& test, double at_least);

}  // namespace ddproxy::results
