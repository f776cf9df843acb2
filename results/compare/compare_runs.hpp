// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "results/compare/comparison.hpp"
#include "results/run/run.hpp"

namespace ddproxy::results {

/// Says how to treat a case that only some of the runs measured. Such a case may hide a slowdown.
/// `undecided`: the comparison becomes undecided if it would otherwise be unchanged. `warned_of`: the case is
/// left out with a warning.
enum class MissingCases { undecided, warned_of };

/// Compares the cases that all runs have. The runs must be comparable (check_comparable() in
/// results/run/run_file.hpp).
///
/// The result is `undecided` if there are too few units (rounds or runs) for a test at the level of 1 %.
/// Otherwise it is `slower` if the family test rejects at this level (family_test.hpp); the tolerance plays
/// no part in this. Otherwise it is `unchanged` if the one-sided 95 % upper limit of the mean ratio over all
/// cases is below 1 + tolerance. Otherwise it is `undecided`.
///
/// If every file belongs to a round of scripts/gate, the unit is the round; a round that has a file on one
/// side only is left out. Otherwise the unit is the run. One file on each side does not show how much runs
/// differ from each other, so the result is `undecided`. Two twins (docs/glossary.md) are the exception:
/// they only wait for the times of a table or a roofline, so their times vary only by the delays of the host.
/// They are compared by their samples.
///
/// Throws std::invalid_argument if all files belong to rounds, but the rounds cannot be paired: the two sides
/// have no round in common, or one side has two files of the same round.
Comparison compare_runs(std::span<const Run> base, std::span<const Run> next, double tolerance,
                        MissingCases missing = MissingCases::undecided);

}  // namespace ddproxy::results
