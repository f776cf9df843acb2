// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

namespace ddproxy::results {

/// The test of the regression gate. It answers: is any case slower, or is the mean over the cases slower?
///
/// A value is a natural logarithm: of the ratio new / base of a case in one round, or of the time of a case
/// in one run. The statistic of a case is its mean shift divided by its standard error (studentised).
///
/// The variance of a case is moderated: it is the mean of its own variance and the median variance over the
/// cases. The reason is that a variance of few values is itself uncertain (the idea of Smyth, Stat. Appl.
/// Genet. Mol. Biol. 3(1), 2004, here with fixed weights).
///
/// The family consists of the mean over the cases and of each case. The statistic of the family is the
/// largest statistic of its members. The distribution of this statistic comes from relabelling: base and new
/// are exchanged within rounds, or runs are redistributed to both sides. If there are at most
/// most_relabellings relabellings, all of them are used; otherwise that many random ones are used.
///
/// The p-value of a member is the share of relabellings whose largest statistic is at least the member's own.
/// In a family without a change, the probability that any p-value is below alpha is then at most alpha
/// (single-step maxT, Westfall and Young, Resampling-Based Multiple Testing, 1993, section 2.3).
///
/// A case is noisy if its standard deviation is above noisy_deviation. A noisy case enters neither the mean
/// nor the median, and it is tested by its own variance. If all cases are noisy, none is treated as noisy.
/// Each relabelling decides anew which cases are noisy, because the p-values are exact only if the statistic
/// depends on nothing but the relabelled values.
inline constexpr double family_level = 0.01;
inline constexpr std::size_t most_relabellings = 10000;
inline constexpr double noisy_deviation = 0.05;

/// [case][unit]: each case has one value for every round or run.
using Logs = std::vector<std::vector<double>>;

/// The result for one member of the family: one case, or the mean over the cases.
struct FamilyMember {
  double shift = 0.0;      ///< mean log ratio new / base
  double deviation = 0.0;  ///< standard deviation of the values between rounds, or between runs of a side
  double error = 0.0;      ///< standard error of the shift that the statistic uses (moderated)
  bool noisy = false;
  double p_slower = 1.0;  ///< p-value, corrected for the number of members
  double p_faster = 1.0;
};

/// The result of the test.
struct FamilyTest {
  FamilyMember whole;  ///< the mean over the cases that are not noisy; over all cases if all are noisy
  std::vector<FamilyMember> cases;
  std::size_t relabellings = 1;  ///< including the observed one; the smallest possible p-value is its inverse
  double critical = 0.0;         ///< critical value of the statistic at family_level

  /// Returns true if there are enough relabellings for a p-value of family_level.
  bool can_reject() const { return static_cast<double>(relabellings) * family_level >= 1.0; }
  bool rejects() const;  ///< returns true if any member is slower
  /// Returns the smallest shift that this test would find with a probability of 90 % in a member with the
  /// standard error of `member`.
  double smallest_found(FamilyMember const& member) const;
  /// Returns the median of smallest_found() over the cases that are not noisy.
  double smallest_found_of_a_case() const;
};

/// Tests log ratios [case][round] of pairs that were measured together. The relabelling flips signs within
/// rounds.
FamilyTest test_rounds(Logs const& ratios);

/// Tests log times [case][run]. The relabelling redistributes runs to the sides; all cases of a run stay
/// together.
FamilyTest test_runs(Logs const& base, Logs const& next);

/// Returns the mean over the cases that are not noisy, [unit].
std::vector<double> mean_over_cases(Logs const& logs, FamilyTest const& test);

/// Interval of the centre of a symmetric distribution. Each bound misses the centre with probability `alpha`.
/// The interval comes from the means of all subsets, or of most_relabellings random subsets (Hartigan, J. Am.
/// Stat. Assoc. 64, 1969, typical values). Both bounds are infinite if there are too few values.
struct Interval {
  double low, high;
};
/// Returns this interval for the centre of `values`.
Interval subset_interval(std::vector<double> const& values, double alpha);

/// Smallest number of rounds n with which test_rounds() can reject at family_level: there are 2^n
/// relabellings.
inline constexpr std::size_t fewest_rounds = 7;

}  // namespace ddproxy::results
