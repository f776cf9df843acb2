// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "results/compare/comparison.hpp"
#include "results/run/run.hpp"

namespace ddproxy::results {

// The parts of compare_runs(). The caller sets `tolerance` of the Comparison. Each of the compare functions
// sets `unit`. If there are cases, it also sets the numbers of units, `cases` and `outcome`.

/// Holds the times of one case that all runs of both sides measured. The runs must outlive it.
struct CommonCase {
  std::string name;
  std::vector<CaseTimes const*> base, next;  ///< one for each run
};

/// Compares by rounds of scripts/gate. base[k] and next[k] of a case are the two runs of the same round.
void compare_rounds(std::vector<CommonCase> const& cases, Comparison& result);
/// Compares by runs. Adds a warning: the test assumes that only the build changed between the runs.
void compare_sessions(std::vector<CommonCase> const& cases, Comparison& result);
/// Compares the samples of two files, one on each side. If `replay` is true, both files are from twins
/// (docs/glossary.md). Otherwise the outcome is undecided.
void compare_samples(std::vector<CommonCase> const& cases, bool replay, Comparison& result);

/// Sets the outcome and the smallest slowdowns that the test finds. `upper` is the one-sided 95 % upper limit
/// of the mean logarithm of the ratio over all cases.
void decide(FamilyTest const& test, double upper, Comparison& result);

}  // namespace ddproxy::results
