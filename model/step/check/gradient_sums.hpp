// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "model/step/check/buffer_contents.hpp"
#include "model/step/check/contributions.hpp"

namespace ddproxy::model {

/// Adds symbolic gradients and norms (Value, buffer_contents.hpp), and checks that they are complete.
class GradientSums {
 public:
  /// `contents` and `findings` must outlive this object.
  GradientSums(BufferContents const& contents, Findings& findings)
      : contents_(contents), findings_(findings) {}

  /// Returns the id of the set with one contribution: the term that an operator adds on a rank for a
  /// micro-batch.
  std::size_t contribution(std::size_t rank, Compute const& compute);
  /// Returns the id of the elements that a norm covers. If an element is covered twice, adds a violation and
  /// returns nothing.
  std::optional<std::size_t> cover(std::size_t rank, std::vector<Slice> slices);

  /// Returns the sum of several sources, or their average over ranks. The result has one segment for each
  /// range in which no source changes its value. It ends where the shortest source ends. Where a source has
  /// padding, the result has padding. Adds a violation on `rank`, and puts padding into the result, if the
  /// sources are neither all gradients of the same elements of the model nor all norms, if only some of them
  /// are clipped, or if a contribution enters twice. Adds a violation if norms are averaged.
  Segments sum(std::size_t rank, std::vector<Segments> const& sources, Reduction reduction = Reduction::sum);

  /// Adds a violation if a gradient lacks a contribution or is not the average over the replicas, or if a
  /// norm does not cover exactly the elements of all gradients.
  void check_complete(std::size_t rank, Segment const& segment);

 private:
  Value sum(std::size_t rank, std::vector<Value> const& values, Reduction reduction);
  std::optional<std::size_t> joined(Content content, std::vector<std::size_t> const& sets,
                                    Reduction reduction);
  void check_norm(std::size_t rank, Value const& value);
  std::size_t expected_set(std::size_t rank, ExpectedGradient const& gradient);

  BufferContents const& contents_;
  Findings& findings_;
  ContributionSets sets_;
  CoveredElements covers_;
  std::map<std::pair<std::size_t, ExpectedGradient const*>, std::size_t>
      expected_;  // [first rank of the group, gradient]: id of the set that the gradient must have
};

}  // namespace ddproxy::model
