// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "model/step/step_graph.hpp"
#include "model/step/violation.hpp"

// What the tests of check() share.

namespace ddproxy::model {

/// Returns the number of violations and the first one in words, or an empty text.
inline std::string text(Violations const& violations) {
  if (violations.empty()) return "";
  return std::to_string(violations.size()) + " violations, the first of rule " +
         std::to_string(static_cast<int>(violations.front().rule)) + ": " + violations.front().what;
}

/// Returns true if a violation is of this rule.
inline bool found(Violations const& violations, Rule rule) {
  return std::ranges::any_of(violations, [&](Violation const& each) { return each.rule == rule; });
}

/// Returns true if there are violations and all are of this rule.
inline bool found_only(Violations const& violations, Rule rule) {
  return !violations.empty() &&
         std::ranges::all_of(violations, [&](Violation const& each) { return each.rule == rule; });
}

/// Returns the step after `change` has changed the graph of every class.
inline RankGraphs changed(RankGraphs step, std::function<void(StepGraph&)> const& change) {
  for (RankClass& each : step.classes) change(each.graph);
  return step;
}

/// Returns the step with rank 0 in a class of its own, which is the last class.
inline RankGraphs split(RankGraphs step) {
  RankClass first{step.classes[0].graph, {0}};
  std::erase(step.classes[0].ranks, std::size_t{0});
  step.classes.push_back(std::move(first));
  return step;
}

}  // namespace ddproxy::model
