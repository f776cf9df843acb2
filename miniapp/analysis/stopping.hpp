// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "miniapp/analysis/analysis.hpp"
#include "miniapp/input/words.hpp"

namespace ddproxy {

/// Why a case of a sweep has no more samples.
enum class Stop {
  samples,  ///< it has [sweep] samples, and the input gives no time for more
  target,   ///< its E is known precisely enough
  budget,   ///< the time for more samples was used up before E was known precisely enough
};

inline constexpr std::array<Word<Stop>, 3> stop_words{
    {{"samples", Stop::samples}, {"target", Stop::target}, {"budget", Stop::budget}}};

/// Returns whether the half-width of the 95 % interval of E is at most `target` x max(E, 0.5 % of T). An E
/// close to zero need not be known more precisely than 0.5 % of T. Returns false for fewer than six samples,
/// because a sweep does not end a case on Student's interval.
bool is_precise(CaseResult const& result, double target);

/// Decides after each round of a sweep whether another one is taken.
class RoundBudget {
 public:
  /// The first `fewest` rounds are always taken. All rounds together may take `max_seconds`. If `max_seconds`
  /// is 0, no more than `fewest` rounds are taken.
  RoundBudget(int fewest, double max_seconds) : fewest_(fewest), max_seconds_(max_seconds) {}

  /// Returns whether to take another round after `rounds` rounds, which took `seconds` together. `precise`
  /// says whether is_precise() is true for every case. A round is taken only if one of average length fits
  /// into the remaining time.
  bool takes_another(int rounds, double seconds, bool precise) const;
  /// Returns why a case has no more samples. `precise`: is_precise() is true for the case.
  Stop reason(bool precise) const;

 private:
  int fewest_;
  double max_seconds_;
};

}  // namespace ddproxy
