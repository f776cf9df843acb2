// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "model/step/check/buffer_contents.hpp"
#include "model/step/check/contributions.hpp"

namespace ddproxy::model {

/// Adds gradients and norms, and says whether they are complete.
class GradientSums {
 public:
  GradientSums(BufferContents const& contents, Findings& findings)
      : contents_(contents), findings_(findings) {}

  /// The set with what an operator adds on a rank for a micro-batch.
  std::size_t contribution(std::size_t rank, Compute const& compute);
  /// The set of elements that a norm covers; nothing, and a violation, where one is covered twice.
  std::optional<std::size_t> cover(std::size_t rank, std::vector<Slice> slices);

  /// The sum of several sources, run by run. All must be gradients, or norms, of the same elements of the
  /// model.
  Pieces sum(std::size_t rank, std::vector<Pieces> const& sources);

  /// A violation where a piece of a gradient lacks a contribution, a norm an element.
  void check_complete(std::size_t rank, Piece const& piece);

 private:
  Value sum(std::size_t rank, std::vector<Value> const& values);
  void check_norm(std::size_t rank, Value const& value);
  std::size_t expected_set(std::size_t rank, ExpectedGradient const& gradient);

  BufferContents const& contents_;
  Findings& findings_;
  ContributionSets sets_;
  CoveredElements covers_;
  std::map<std::pair<std::size_t, ExpectedGradient const*>, std::size_t>
      expected_;  // {first of the group, gradient}
};

}  // namespace ddproxy::model
