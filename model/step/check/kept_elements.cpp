// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/step/check/kept_elements.hpp"

#include <algorithm>
#include <optional>

namespace ddproxy::model {
namespace {

/// Appends to `kept` the elements of the model that a rank's buffers keep after the step as `content`: those
/// that at_exit names.
void add_kept(BufferContents const& contents, std::size_t rank, Content content, std::vector<Slice>& kept) {
  for (Buffer const& buffer : contents.graph(rank).buffers)
    if (buffer.at_exit.content == content) kept.push_back(contents.model_slice(rank, buffer, buffer.at_exit));
}

/// Returns the union of the slices as slices that neither overlap nor touch, sorted by offset.
std::vector<Slice> united(std::vector<Slice> slices) {
  std::ranges::sort(slices, {}, &Slice::offset);
  std::vector<Slice> result;
  for (const Slice slice : slices) {
    if (result.empty() || slice.offset > result.back().end()) {
      result.push_back(slice);
    } else {
      result.back().count = std::max(result.back().end(), slice.end()) - result.back().offset;
    }
  }
  return result;
}

/// Returns the first expected gradient that `kept` does not contain completely.
std::optional<Slice> first_missing(std::vector<ExpectedGradient> const& expected,
                                   std::vector<Slice> const& kept) {
  for (auto const& [model, operators] : expected) {
    const auto next = std::ranges::upper_bound(kept, model.offset, {}, &Slice::offset);
    if (next == kept.begin() || std::prev(next)->end() < model.end()) return model;
  }
  return std::nullopt;
}

void check_group(BufferContents const& contents, std::vector<std::size_t> const& group, Findings& findings) {
  for (const Content content : {Content::gradient, Content::parameter}) {
    std::vector<Slice> kept;
    for (const std::size_t rank : group) add_kept(contents, rank, content, kept);
    kept = united(std::move(kept));
    for (const std::size_t rank : group) {
      Expected const& expected = contents.graph(rank).expected;
      if (expected.updated != (content == Content::parameter)) continue;
      if (const auto missing = first_missing(expected.gradients, kept)) {
        findings.add(Rule::contributes_all, rank,
                     "no buffer of the replicas keeps " + name_of(content) + " of elements " +
                         std::to_string(missing->offset) + " to " + std::to_string(missing->end() - 1) +
                         " of the model after the step; the at_exit of a buffer must name it");
      }
    }
  }
}

}  // namespace

void check_kept_elements(BufferContents const& contents, Findings& findings) {
  findings.at("at the end of the step: ");
  for (std::size_t rank = 0; rank < contents.ranks(); ++rank) {
    auto const& group = contents.group(rank, contents.graph(rank).expected.replicas);
    if (group.front() == rank) check_group(contents, group, findings);
  }
}

}  // namespace ddproxy::model
