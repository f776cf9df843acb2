// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "miniapp/predict/analysis/analysis.hpp"
#include "model/predict/uncertainty.hpp"

namespace ddproxy {

/// Two results of a case (a strategy with its plan) that cannot both be right.
struct Contradiction {
  /// A run prints one warning for each kind.
  enum class Kind {
    overlap_of_nothing,  ///< the case overlaps nothing, but its overlap is not 0
    overlap_above_one,
    cause_above_exposed,  ///< one cause of E, as predicted, is larger than the whole measured E
  };
  Kind kind;
  std::string result;  ///< for messages: the name of the case and, in parentheses, its impossible result
  /// How far the results differ. For an overlap: the distance of its 95 % interval from the possible values.
  /// For a cause of E: the share by which the cause exceeds its bound; 0.2 is 20 %.
  double by;
  std::size_t samples;  ///< number of samples of the case
  std::string excess;   ///< for messages: a sentence that says which bound is exceeded, and by how much
  std::string meaning;  ///< for messages: a sentence that explains the cause; empty for an overlap

  /// Returns whether `by` is above 0.20 and the case has at least six samples. If so, the run is not valid,
  /// unless its all-reduces are replayed.
  bool is_large() const;
};

/// Finds an overlap that is impossible. An overlap above 1 is impossible. In a case that overlaps nothing
/// (naive, flat) every overlap other than 0 is impossible. The overlap is reported only if its whole 95 %
/// interval lies more than 0.05 away from the possible values. With two to five samples this is Student's
/// interval. With one sample nothing is reported.
std::vector<Contradiction> find_contradictions(CaseReport const& report);
/// Finds a cause of E (docs/glossary.md) whose prediction is larger than the whole measured E. Call it only
/// for a case that overlaps. `terms` gives the causes: the ideal E, and the differences that contention,
/// copies and jitter make (Waterfall in model/predict/uncertainty.hpp), without their signs. Only the largest
/// cause is reported, and only if it exceeds the upper end of the 95 % interval of E by more than 5 %. An
/// upper end below 0.5 % of T counts as 0.5 % of T. What the model does not explain (measured minus predicted
/// E) is no cause: it is the error of the model.
std::vector<Contradiction> find_contradictions(CaseReport const& report, model::Waterfall const& terms);

/// Returns one warning for each kind of contradiction in `found`. A warning names the three worst cases and
/// says what the worst one does to `valid`. A case for which is_large() is true is worse than any case for
/// which it is false. Of two other cases, the one with the larger `by` is worse. The first warning ends with
/// the advice, and the others refer to it. `reduces`: all-reduces were carried out, not replayed.
std::vector<std::string> contradiction_warnings(std::vector<Contradiction> const& found, bool reduces);

/// Returns one warning about all overlapped cases that take longer than their compute and their all-reduces
/// would take one after another. The test: the upper end of the 95 % interval of the overlap is below -0.05.
/// The warning names the three cases with the lowest upper ends. Returns an empty string if there is no such
/// case. Such a case is no contradiction, because compute and all-reduces may slow each other down.
std::string costs_of_overlapping(std::vector<CaseReport> const& reports);

}  // namespace ddproxy
