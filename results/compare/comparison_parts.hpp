// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "results/compare/comparison.hpp"
#include "results/run/run.hpp"

namespace ddproxy::results {

// The parts of compare_runs(). Each function fills `cases` and `outcome` of a Comparison; the caller has set
// `tolerance`.

/// One case that both sides measured.
struct CommonCase {
  std::string name;
  std::vector<CaseTimes const*> base, next;  ///< one for each run
};

/// Compares by rounds of scripts/gate: base[k] and next[k] are the two runs of round k.
void compare_rounds(std::vector<CommonCase> const& cases, Comparison& result);
/// Compares by runs: the runs of both sides could be exchanged if both builds were equal.
void compare_sessions(std::vector<CommonCase> const& cases, Comparison& result);
/// Compares one file on each side by its samples. Decides only if both are twins (`replay`).
void compare_samples(std::vector<CommonCase> const& cases, bool replay, Comparison& result);

/// Sets the outcome from the test and from `upper`, the one-sided 95 % upper end of the mean log ratio over
/// all cases.
void decide(FamilyTest const& test, double upper, Comparison& result);

}  // namespace ddproxy::results
