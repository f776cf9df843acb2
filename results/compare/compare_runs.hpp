// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "results/compare/comparison.hpp"
#include "results/run/run.hpp"

namespace ddproxy::results {

/// The effect of a case that only some of the runs measured. Such a case may hide a slowdown. `undecided`:
/// the whole comparison cannot be unchanged. `warned_of`: the case is left out with a warning.
enum class MissingCases { undecided, warned_of };

/// Compares the cases that all runs have. The runs must be comparable (check_comparable).
///
/// The result is `slower` if the family test rejects at 1 % (family_test.hpp); the tolerance does not matter
/// for this. Else it is `unchanged` if the one-sided 95 % upper end of the mean ratio over all cases is below
/// 1 + tolerance. Else it is `undecided`. It is also `undecided` if there are too few units (rounds or runs)
/// for a test at 1 %.
///
/// If all files belong to rounds of one gate, the unit is the round. Otherwise the unit is the run. One file
/// on each side does not show how much runs differ, so the result is `undecided`. Two twins are the
/// exception: their work takes the time of a table, and only the delays by the host vary.
Comparison compare_runs(std::span<const Run> base, std::span<const Run> next, double tolerance,
                        MissingCases missing = MissingCases::undecided);

}  // namespace ddproxy::results
