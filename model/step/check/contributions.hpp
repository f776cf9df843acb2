// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "model/step/step_graph.hpp"

namespace ddproxy::model {

/// One summand of a gradient: what an operator adds on one rank for one micro-batch.
struct Contribution {
  std::size_t rank;
  int micro_batch;
  OperatorId op;
  auto operator<=>(Contribution const&) const = default;
};

/// Keeps each set of contributions once, so that sets are compared by their ids. Gradients of all ranks after
/// an all-reduce have the same set.
class ContributionSets {
 public:
  using Id = std::size_t;

  /// The id of a set; `set` may be in any order.
  Id id(std::vector<Contribution> set);

  /// The union, or nothing where two of the sets share a contribution.
  std::optional<Id> joined(std::vector<Id> const& sets);

  std::size_t size(Id set) const { return sets_[set].size(); }

 private:
  std::vector<std::vector<Contribution>> sets_;
  std::map<std::vector<Contribution>, Id> ids_;
  std::map<std::vector<Id>, std::optional<Id>> unions_;
};

/// Keeps which elements of the model a sum of squares covers; as ContributionSets.
class CoveredElements {
 public:
  using Id = std::size_t;

  /// The id of a list of slices in any order; nothing where two of them overlap.
  std::optional<Id> id(std::vector<Slice> slices);
  std::optional<Id> joined(std::vector<Id> const& covers);

  /// Returns whether it covers each of these slices, which rise and do not overlap, and nothing else.
  bool equals(Id cover, std::vector<ExpectedGradient> const& expected) const;

 private:
  std::vector<std::vector<Slice>> covers_;  // rising; neighbours that touch are one
};

}  // namespace ddproxy::model
