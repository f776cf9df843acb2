// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "model/statistics/estimate.hpp"

namespace ddproxy::results {

/// The test of the regression gate answers two questions. Is any case slower? Is the mean over the cases
/// slower? A case is a row of the sweep, and a round starts both builds once (docs/glossary.md).
///
/// Values: if the files are rounds of scripts/gate, a value is ln(new / base) of a case in one round.
/// Otherwise a value is ln(time) of a case in one run. The shift of a case is the mean of ln(new / base), or
/// the mean of ln(time) of new minus that of base. The statistic of a case is its shift divided by the
/// standard error of the shift (a studentised shift).
///
/// Variance: the test does not use the variance of a case alone, because the variance of few values is itself
/// uncertain. It uses the moderated variance: the mean of the case's own variance and of the median variance
/// over the cases. The idea is from Smyth, Stat. Appl. Genet. Mol. Biol. 3(1), 2004; here the weights are
/// fixed. The mean over the cases is tested by its own variance.
///
/// Family: the members of the family are the mean over the cases, and each case. The statistic of the
/// family is the largest statistic of its members. Its distribution comes from relabelling: base and new are
/// exchanged within rounds, or the runs are distributed anew to both sides. The test uses all relabellings,
/// or most_relabellings random ones if there are more than that.
///
/// p-values: the p-value of a member is the share of the relabellings in which the largest statistic is
/// at least the observed statistic of the member. A false alarm is a member with a p-value of family_level or
/// less although nothing has changed. The probability of one or more false alarms is at most family_level
/// (single-step maxT, Westfall and Young, Resampling-Based Multiple Testing, 1993, section 2.3).
///
/// Noisy cases: a case is noisy if its standard deviation is above noisy_deviation. The mean over the cases
/// and the median variance leave out noisy cases. A noisy case is tested by its own variance. If all cases
/// are noisy, none is treated as noisy. For each relabelling the test decides anew which cases are noisy.
/// Otherwise the p-values would not be exact, because the statistic of a relabelling would depend on the
/// original labels.
inline constexpr double family_level = 0.01;
inline constexpr std::size_t most_relabellings = 10000;
inline constexpr double noisy_deviation = 0.05;

/// Holds the values of the test, [case][unit]. A unit is a round or a run. Each case has a value for each
/// unit.
using Logs = std::vector<std::vector<double>>;

/// Holds the result for one member of the family: one case, or the mean over the cases.
struct FamilyMember {
  double shift = 0.0;      ///< mean log ratio new / base
  double deviation = 0.0;  ///< standard deviation of the values between rounds, or between runs of a side
  double error = 0.0;      ///< standard error of the shift; for a case from the moderated variance
  bool noisy = false;      ///< the case is noisy; false for all cases if all are noisy
  double p_slower = 1.0;   ///< p-value of a slowdown, corrected for the number of members
  double p_faster = 1.0;   ///< p-value of a speed-up, corrected in the same way
};

/// Holds the result of the test.
struct FamilyTest {
  FamilyMember whole;  ///< the mean over the cases that are not noisy; over all cases if all are noisy
  std::vector<FamilyMember> cases;
  std::size_t relabellings = 1;  ///< including the original labels; the smallest p-value is 1 / relabellings
  double critical = 0.0;         ///< critical value of the statistic at family_level

  /// Returns true if there are enough relabellings for a p-value as small as family_level.
  bool can_reject() const { return static_cast<double>(relabellings) * family_level >= 1.0; }
  bool rejects() const;  ///< returns true if any member is slower: its p_slower is at most family_level
  /// Returns the smallest shift (a logarithm) that this test finds with a probability of 90 %, in a member
  /// with the standard error of `member`.
  double smallest_found(FamilyMember const& member) const;
  /// Returns the median of smallest_found() over the cases that are not noisy; infinity if there are none.
  double smallest_found_of_a_case() const;
};

/// Tests the logarithms of ratios new / base, [case][round]. Both builds of a ratio were measured in the same
/// round. A relabelling exchanges the builds in some rounds: it changes the signs of all values of these
/// rounds.
FamilyTest test_rounds(Logs const& ratios);

/// Tests the logarithms of times, [case][run], of both sides. A relabelling distributes the runs anew to the
/// sides; all cases of a run stay together.
FamilyTest test_runs(Logs const& base, Logs const& next);

/// Returns the mean of `logs` [case][unit] over the cases that are not noisy in `test`, [unit].
std::vector<double> mean_over_cases(Logs const& logs, FamilyTest const& test);

/// Returns an interval for the centre of the distribution of `values`, which must be symmetric. The
/// probability that `low` lies above the centre is at most `alpha`, and so is the probability that `high`
/// lies below it.
/// The interval comes from the means of all subsets of the values, or of most_relabellings random subsets if
/// there are more (Hartigan, J. Am. Stat. Assoc. 64, 1969, typical values). Both ends are infinite if there
/// are too few values.
model::Band subset_interval(std::vector<double> const& values, double alpha);

/// The smallest number of rounds with which test_rounds() can reject at family_level. With n rounds there are
/// 2^n relabellings.
inline constexpr std::size_t fewest_rounds = 7;

}  // namespace ddproxy::results
