// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "miniapp/analysis/analysis.hpp"
#include "model/predict/uncertainty.hpp"

namespace ddproxy {

/// Two results of a case that cannot both be right.
struct Contradiction {
  std::string sentence;  ///< for messages: what contradicts what, by how much, and what to do
  bool is_large;  ///< they contradict by more than 20 %, and the case has at least six samples: the run
                  ///< is then not valid
};

/// Finds an overlap that is impossible: above 1, or other than 0 in a case that overlaps nothing (naive,
/// flat). Reports it only if the whole 95 % interval of the overlap lies more than 0.05 away from what is
/// possible. With two to five samples this is Student's interval; with one sample nothing is reported.
std::vector<Contradiction> find_contradictions(CaseReport const& report);
/// Finds a term of the prediction of E that is larger than the measured E. Reports it only if the term
/// exceeds the upper end of E's 95 % interval by more than 5 %. An upper end below 0.5 % of T counts as 0.5 %
/// of T.
std::vector<Contradiction> find_contradictions(CaseReport const& report, model::Waterfall const& terms);

/// Returns a sentence for an overlapped case that takes longer than its compute and its all-reduces one after
/// another: the upper end of its overlap's 95 % interval lies below -0.05. Returns an empty string otherwise.
/// Such a case is no contradiction, because compute and all-reduces may slow each other down.
std::string costs_of_overlapping(CaseReport const& report);

}  // namespace ddproxy
