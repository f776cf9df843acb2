// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "model/statistics/estimate.hpp"
#include "results/compare/family_test.hpp"
#include "results/compare/outcome.hpp"
#include "results/compare/percent.hpp"

namespace ddproxy::results {

/// What counts as one value of a comparison. If both builds are equally fast, it does not matter which run
/// has the label base and which has the label new. The permutation test of rounds and of runs relies on this:
/// it exchanges the labels. There is no such test for samples.
enum class Unit {
  rounds,  ///< the two runs of a round of scripts/gate, in which both builds took turns
  runs,    ///< the runs of both sides, if there are several files on a side
  samples  ///< the samples of the two files, if there is one file on each side
};

/// The result for one case.
enum class Verdict { unchanged, slower, faster, undecided };

/// Holds the comparison of one case, or of the mean over the cases that are not noisy (family_test.hpp).
struct CaseComparison {
  std::string name;
  double base = std::nan(""), next = std::nan("");  ///< median over the units, seconds; NaN for the mean
  model::Estimate ratio{};                          ///< new / base, with its 95 % interval
  double noise = std::nan("");  ///< standard deviation over the units: of ln(new / base) for rounds, of ln(T)
                                ///< otherwise; NaN if unknown
  double p = std::nan("");      ///< p-value of a slowdown, corrected for the number of cases; NaN for samples
  Verdict verdict = Verdict::undecided;
  std::string doubt = {};  ///< why there is no verdict, or what limits the verdict
};

/// The name of the row with the mean over all cases.
inline constexpr char const* all_cases = "all cases";

/// Holds the result of compare_runs().
struct Comparison {
  double tolerance = 0.0;  ///< smallest slowdown that matters, relative (0.02: 2 %)
  Unit unit = Unit::runs;
  /// Number of units on each side. If the unit is rounds, both are the number of rounds.
  std::size_t base_units = 0, next_units = 0;
  /// First the mean over the cases, then each case. If the unit is samples, there is no mean.
  std::vector<CaseComparison> cases;
  /// The smallest slowdown of the mean over all cases that is found with a probability of 90 %, as a share
  /// (0.02: 2 %). NaN for samples, and if there are too few units.
  double smallest_of_all = std::nan("");
  /// The smallest slowdown of a single case that is found with a probability of 90 %: the median of these
  /// slowdowns over the cases that are not noisy.
  double smallest_of_one = std::nan("");
  Outcome outcome;
  std::vector<std::string> left_out;  ///< names of cases that only some of the runs measured
  std::vector<std::string> warnings;
};

/// Returns the verdict as a word.
constexpr char const* name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::slower:
      return "slower";
    case Verdict::faster:
      return "faster";
    case Verdict::unchanged:
      return "unchanged";
    default:
      return "undecided";
  }
}

/// Returns "rounds", "runs" or "samples".
constexpr char const* name_of(Unit unit) {
  return unit == Unit::rounds ? "rounds" : unit == Unit::runs ? "runs" : "samples";
}

}  // namespace ddproxy::results
