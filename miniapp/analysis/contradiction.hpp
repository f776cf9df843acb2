// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "miniapp/analysis/analysis.hpp"
#include "model/predict/uncertainty.hpp"

namespace ddproxy {

/// Two results of a case (a strategy with its plan) that cannot both be right.
struct Contradiction {
  std::string sentence;  ///< for messages: what contradicts what, by how much, and what to do
  /// Whether the results differ by more than 20 % (an overlap: by more than 0.20), and the case has at least
  /// six samples. The run is then not valid.
  bool is_large;
};

/// Finds an overlap that is impossible. An overlap above 1 is impossible. In a case that overlaps nothing
/// (naive, flat) every overlap other than 0 is impossible. The overlap is reported only if its whole 95 %
/// interval lies more than 0.05 away from the possible values. With two to five samples this is Student's
/// interval. With one sample nothing is reported.
std::vector<Contradiction> find_contradictions(CaseReport const& report);
/// Finds a term of the prediction of E that is larger than the measured E. The terms are the effects of
/// contention, copies and jitter (Waterfall in model/predict/uncertainty.hpp). The term is reported only if
/// it exceeds the upper end of the 95 % interval of E by more than 5 %. An upper end below 0.5 % of T counts
/// as 0.5 % of T.
std::vector<Contradiction> find_contradictions(CaseReport const& report, model::Waterfall const& terms);

/// Returns a sentence for messages if an overlapped case takes longer than its compute and its all-reduces
/// would take one after another. This is so if the upper end of the 95 % interval of its overlap is below
/// -0.05. Returns an empty string otherwise. Such a case is no contradiction, because compute and all-reduces
/// may slow each other down.
std::string costs_of_overlapping(CaseReport const& report);

}  // namespace ddproxy
