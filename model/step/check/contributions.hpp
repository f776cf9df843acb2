// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "model/step/step_graph.hpp"

namespace ddproxy::model {

/// One summand of a gradient: the term that an operator adds on one rank for one micro-batch.
struct Contribution {
  std::size_t rank;
  int micro_batch;
  OperatorId op;
  std::size_t divisor = 1;  ///< the averages so far have divided the term by this number
  auto operator<=>(Contribution const&) const = default;
  /// Returns whether both are the same term; the divisors may differ.
  bool same_term(Contribution const& other) const {
    return rank == other.rank && micro_batch == other.micro_batch && op == other.op;
  }
};

/// Stores each distinct set of contributions once and gives it an id, so that equal sets have equal ids. For
/// example, the gradients of all ranks of a group have the same id after an all-reduce.
class ContributionSets {
 public:
  using Id = std::size_t;

  /// Returns the id of a set. `set` may be in any order.
  Id id(std::vector<Contribution> set);

  /// Returns the id of the union of sets. Returns nothing if two of the sets have the same term, even with
  /// different divisors.
  std::optional<Id> joined(std::vector<Id> const& sets);

  /// Returns the id of the set that results from averaging over ranks; `sets` has the set of each rank. The
  /// result is the union of the sets. A contribution that all sets share is in it once. Let P be these shared
  /// contributions, which were averaged before, and L_r the other contributions of rank r. Averaging does not
  /// change P, because avg(P + L_r) = P + avg(L_r). Averaging divides L_r by the number of sets. Returns
  /// nothing if two sets share anything besides P, or if a set has nothing besides P.
  std::optional<Id> averaged(std::vector<Id> const& sets);

  std::size_t size(Id set) const { return sets_[set].size(); }
  /// Returns whether two sets differ at most in the divisors.
  bool same_terms(Id a, Id b) const;

 private:
  std::vector<std::vector<Contribution>> sets_;
  std::map<std::vector<Contribution>, Id> ids_;
  std::map<std::vector<Id>, std::optional<Id>> unions_, averages_;
};

/// Stores covers and gives each of them an id. A cover is the set of the elements of the model whose squares
/// a norm contains.
class CoveredElements {
 public:
  using Id = std::size_t;

  /// Returns an id for the elements of these slices, which may be in any order. Returns nothing if two slices
  /// overlap.
  std::optional<Id> id(std::vector<Slice> slices);
  /// Returns an id for the union of covers. Returns nothing if two of them overlap.
  std::optional<Id> joined(std::vector<Id> const& covers);

  /// Returns true if a cover consists of exactly the elements of these gradients.
  bool equals(Id cover, std::vector<ExpectedGradient> const& expected) const;

 private:
  std::vector<std::vector<Slice>> covers_;  // [id], sorted by offset; slices that touch are merged
};

}  // namespace ddproxy::model
