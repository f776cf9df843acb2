// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

namespace ddproxy::results {

/// The test of the regression gate: is any case slower, or all of them together?
///
/// A value is a natural logarithm: of the ratio new over base of a case in one round, or of the time of a
/// case in one run. The statistic of a case is its mean shift over its standard error (studentised). The
/// variance of a case is moderated: half its own, half the median over the cases, because a variance of few
/// values is itself uncertain (the idea of Smyth, Stat. Appl. Genet. Mol. Biol. 3(1), 2004, with fixed
/// weights). The statistic of the family is the largest of {the mean over the cases, each case}. Its
/// distribution comes from relabelling: base and new are exchanged within rounds, or runs are dealt anew to
/// both sides. All relabellings are taken where there are at most most_relabellings, otherwise that many
/// random ones. The p-value of a member is the share of relabellings whose largest statistic is at least its
/// own, so that in a family without a change any p-value is below alpha with probability alpha at most
/// (single-step maxT, Westfall and Young, Resampling-Based Multiple Testing, 1993, section 2.3).
///
/// A case whose standard deviation is above noisy_deviation takes no part in the mean and the median, and is
/// tested by its own variance. Each relabelling decides anew which cases that are, because the p-values are
/// exact only where the statistic depends on nothing but the relabelled values.
inline constexpr double family_level = 0.01;
inline constexpr std::size_t most_relabellings = 10000;
inline constexpr double noisy_deviation = 0.05;

/// [case][unit]: each case has a value of every round or run.
using Logs = std::vector<std::vector<double>>;

struct FamilyMember {
  double shift = 0.0;      ///< mean log ratio, new over base
  double deviation = 0.0;  ///< standard deviation of its values between rounds, or between runs of a side
  double error = 0.0;      ///< standard error of the shift, as the statistic takes it (moderated)
  bool noisy = false;
  double p_slower = 1.0;  ///< adjusted for the family
  double p_faster = 1.0;
};

struct FamilyTest {
  FamilyMember whole;  ///< the mean over the cases that are not noisy; over all where all are
  std::vector<FamilyMember> cases;
  std::size_t relabellings = 1;  ///< with the one that was observed; no p-value is below its inverse
  double critical = 0.0;         ///< of the statistic, at family_level

  bool can_reject() const { return static_cast<double>(relabellings) * family_level >= 1.0; }
  bool rejects() const;  ///< some member is slower
  /// The shift of a member that this test finds with a probability of 90 %: critical value and error at hand.
  double smallest_found(FamilyMember const& member) const;
  /// The same of the case in the middle, by error, of those that are not noisy.
  double smallest_found_of_a_case() const;
};

/// `ratios` [case][round]: log ratios of pairs that were measured together. Sign flips within rounds.
FamilyTest test_rounds(Logs const& ratios);

/// `base` and `next` [case][run]: log times. Runs are dealt anew to the sides, all cases of a run together.
FamilyTest test_runs(Logs const& base, Logs const& next);

/// The mean over the cases that are not noisy, by unit.
std::vector<double> mean_over_cases(Logs const& logs, FamilyTest const& test);

/// Interval of the centre of symmetric values: each end is missed with probability `alpha`. From the means of
/// all subsets, or of most_relabellings random ones (Hartigan, J. Am. Stat. Assoc. 64, 1969, typical values).
/// An end is infinite where there are too few values.
struct Interval {
  double low, high;
};
Interval subset_interval(std::vector<double> const& values, double alpha);

/// The fewest rounds with which test_rounds() can reject at family_level: 2^n relabellings.
inline constexpr std::size_t fewest_rounds = 7;

}  // namespace ddproxy::results
