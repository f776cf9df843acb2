// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <span>
#include <string>
#include <vector>

#include "results/rank_statistics.hpp"
#include "results/run_file.hpp"

namespace ddproxy::results {

/// Times of one case, one value a run (or a sample, where there is one run a side), seconds.
struct Series {
  std::string name;
  std::vector<double> base;
  std::vector<double> next;
  /// Ratio of the fastest values, new over base; NaN where runs are the unit.
  double fastest = std::numeric_limits<double>::quiet_NaN();
};

/// The promise is a count: at most one family in a hundred. A little under it, so that chance does not break
/// it.
inline constexpr double family_error = 0.009;
inline constexpr double power = 0.95;

/// `not_proved`: slower or faster by the interval, but not by what one run a side takes besides; `too_few`:
/// values for any verdict.
enum class Verdict { unchanged, slower, faster, not_proved, too_few };

struct CaseComparison {
  std::string name;
  double base = 0.0;  ///< median, seconds
  double next = 0.0;
  Estimate ratio;  ///< of next over base: median of all pairwise ratios, 95 % rank-sum interval
  Estimate
      family;  ///< the same, its ends missed in no case with 99 %: each with alpha = 1 % / number of series
  double noise = 0.0;  ///< standard deviation of log T within a side, pooled; NaN with one value a side
  /// Values a side to find a slowdown by the tolerance in 95 of 100 comparisons, where they scatter as the
  /// width of the interval says; most_values where no number does.
  std::size_t needed = 0;
  double fastest = 0.0;  ///< as in Series
  Verdict verdict = Verdict::unchanged;
};

/// Slower: the lower end of the family's interval is above 1 and the estimate above 1 + tolerance / 2; faster
/// likewise. With 99 % no series that did not change is called slower. Where `fastest` is not NaN (samples of
/// one run a side, which are not independent: something else on the machine slows several in a row) two more
/// must hold: it spares some and a slower build slows all, so `fastest` is above 1 + tolerance / 2 too; and
/// the logarithm of the estimate is above three times the noise, for the spread from run to run, which is
/// unknown, is taken to be as large; where they do not, the verdict is `not_proved`.
std::vector<CaseComparison> compare_series(std::span<const Series> series, double tolerance);

struct Comparison {
  double tolerance = 0.0;
  bool of_samples = false;  ///< one run a side: the sample is the unit, and run-to-run spread unknown
  std::size_t base_units = 0, next_units = 0;
  std::size_t fewest = 0;             ///< values a side without which no alarm is possible
  std::vector<CaseComparison> cases;  ///< the last is the geometric mean of all, where there are several
  std::vector<std::string> warnings;
  std::string unit() const { return of_samples ? "samples" : "runs"; }
  bool is_slower() const;
  std::size_t count(Verdict verdict) const;
};

/// Compares what the runs have in common. They must be comparable.
Comparison compare_runs(std::span<const Run> base, std::span<const Run> next, double tolerance);

/// The verdict in words; `unit`: "runs" or "samples".
std::string name_of(Verdict verdict, std::string const& unit);

}  // namespace ddproxy::results
