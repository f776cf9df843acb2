// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "results/compare/table.hpp"
#include "results/history/history_test.hpp"

namespace ddproxy::results {

/// Returns the table of `compare --history`: one row for each case, a last row for the mean over the cases,
/// and one decision for all rows. The decision is "slower" if any row is slower. Otherwise it is "undecided"
/// if one or more of these statements hold, and "unchanged" if none does:
///
/// - The newest file of the folder cannot be read.
/// - The newest night did not measure every case.
/// - The mean over the cases has at most 15 nights, so its noise is not known well enough.
/// - A slowdown of the mean by `at_least` (relative) in one night would be found with a probability of less
///   than 80 %.
Table table_of(HistoryTest const& test, double at_least);

}  // namespace ddproxy::results
