// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "results/compare/comparison.hpp"
#include "results/run/run.hpp"

namespace ddproxy::results {

/// What a case means that only some of the runs measured: by itself it keeps the whole from being unchanged,
/// because it may hide a slowdown.
enum class MissingCases { undecided, warned_of };

/// Compares what the runs have in common. They must be comparable (check_comparable).
///
/// Slower: the family test rejects at 1 % (family_test.hpp); the tolerance plays no part. Otherwise
/// unchanged: the one-sided 95 % upper end of the mean slowdown over all cases is below 1 + tolerance.
/// Otherwise undecided, and so is a comparison with too few units for that level.
///
/// Where all files belong to rounds of one gate, the round is the unit. Otherwise the run is. With one file a
/// side nothing tells the spread between runs, so the whole stays undecided, unless both are replays: their
/// work takes the time of a table, and only the host's delays vary.
Comparison compare_runs(std::span<const Run> base, std::span<const Run> next, double tolerance,
                        MissingCases missing = MissingCases::undecided);

}  // namespace ddproxy::results
