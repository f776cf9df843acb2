// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "miniapp/input/words.hpp"
#include "miniapp/predict/analysis/analysis.hpp"

namespace ddproxy {

/// The reason why a sweep took no more samples of a case (docs/glossary.md).
enum class Stop {
  samples,  ///< the sweep has no max_seconds, so `[sweep] samples` fixes the number of samples
  target,   ///< its E is known precisely enough: is_precise() is true
  budget,   ///< no time was left for another round, and its E is not known precisely enough
};

inline constexpr std::array<Word<Stop>, 3> stop_words{
    {{"samples", Stop::samples}, {"target", Stop::target}, {"budget", Stop::budget}}};

/// Returns whether the half-width of the 95 % interval of E is at most `target` x max(E, 0.5 % of T). An E
/// below 0.5 % of T counts as 0.5 % of T, because an E close to zero need not be known more precisely.
/// Returns false for fewer than six samples: their interval is Student's, which is not used for this
/// decision.
bool is_precise(CaseResult const& result, double target);

/// Decides after each round of a sweep whether another round is taken. A round takes one sample of each case.
class RoundBudget {
 public:
  /// The first `fewest` rounds are always taken. Further rounds are taken as long as all rounds together are
  /// expected to take at most `max_seconds` seconds. If `max_seconds` is 0, exactly `fewest` rounds are
  /// taken.
  RoundBudget(int fewest, double max_seconds) : fewest_(fewest), max_seconds_(max_seconds) {}

  /// Returns whether to take another round after `rounds` rounds, which took `seconds` seconds together.
  /// `precise` says whether is_precise() is true for every case. If it is, no round after the first `fewest`
  /// is started. Otherwise a further round is started only if a round of average length fits into the
  /// remaining time.
  bool takes_another(int rounds, double seconds, bool precise) const;
  /// Returns why a case has no more samples. `precise` says whether is_precise() is true for this case. If
  /// `max_seconds` is 0, the number of samples is fixed and `precise` is ignored.
  Stop reason(bool precise) const;

 private:
  int fewest_;
  double max_seconds_;
};

}  // namespace ddproxy
