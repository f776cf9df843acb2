// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "results/compare/comparison.hpp"
#include "results/run/run.hpp"

namespace ddproxy::results {

// The parts of compare_runs(): each fills cases and outcome of a Comparison whose tolerance is set.

/// One case that both sides measured.
struct CommonCase {
  std::string name;
  std::vector<CaseTimes const*> base, next;  ///< one for each run
};

/// base[k] and next[k] are the two runs of a round.
void compare_rounds(std::vector<CommonCase> const& cases, Comparison& result);
void compare_sessions(std::vector<CommonCase> const& cases, Comparison& result);
void compare_samples(std::vector<CommonCase> const& cases, bool replay, Comparison& result);

/// Decides from the test and the one-sided 95 % upper end of the mean log ratio over all cases.
void decide(FamilyTest const& test, double upper, Comparison& result);

}  // namespace ddproxy::results
