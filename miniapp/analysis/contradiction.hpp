// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "miniapp/analysis/analysis.hpp"
#include "model/predict/uncertainty.hpp"

namespace ddproxy {

/// What a measurement says that cannot be.
struct Contradiction {
  std::string sentence;  ///< for people: what, by how much, and what to do
  bool is_large;         ///< beyond 20 %, with six samples or more: the run is not valid
};

/// Looks for results of a case that contradict each other by more than 5 %, each beyond its 95 % interval (of
/// fewer than six samples: their range). They are an overlap above 1, an overlap other than 0 where nothing
/// overlaps (naive, flat), and a term of the prediction that is larger than E.
std::vector<Contradiction> find_contradictions(CaseReport const& report);
/// The same of the terms that lead to the prediction of E.
std::vector<Contradiction> find_contradictions(CaseReport const& report, model::Waterfall const& terms);

/// A sentence where an overlapped case takes longer than compute and all-reduces one after another: its
/// overlap is below 0 beyond its interval. Empty otherwise. That is no contradiction: both may slow each
/// other down.
std::string costs_of_overlapping(CaseReport const& report);

}  // namespace ddproxy
