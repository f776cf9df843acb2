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
  samples,  ///< [sweep] samples were asked for, and no time for more
  target,   ///< E is known well enough
  budget,   ///< the time for more samples was spent before that
};

inline constexpr std::array<Word<Stop>, 3> stop_words{
    {{"samples", Stop::samples}, {"target", Stop::target}, {"budget", Stop::budget}}};

/// True where the half-width of the 95 % interval of E is at most `target` times the larger of E and 0.5 % of
/// T. An E that is nearly nothing need not be known more closely than that. Of fewer than six samples no such
/// interval is known: false.
bool is_precise(CaseResult const& result, double target);

/// Decides after each round of a sweep whether another one is taken.
class RoundBudget {
 public:
  /// `fewest` rounds are always taken. `max_seconds` are for all rounds together; 0: no more than `fewest`.
  RoundBudget(int fewest, double max_seconds) : fewest_(fewest), max_seconds_(max_seconds) {}

  /// After `rounds` rounds, which took `seconds` together. `precise`: every case is. A round is started only
  /// where one of average length fits into the time.
  bool takes_another(int rounds, double seconds, bool precise) const;
  /// Why a case ended that is `precise` or not.
  Stop reason(bool precise) const;

 private:
  int fewest_;
  double max_seconds_;
};

}  // namespace ddproxy
