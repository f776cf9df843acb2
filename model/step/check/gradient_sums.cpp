// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/step/check/gradient_sums.hpp"

#include <algorithm>
#include <string>

namespace ddproxy::model {
namespace {

/// Returns why two values cannot be added. Returns an empty text if they can.
std::string obstacle(Value const& one, Value const& other) {
  if (one.content != other.content)
    return "adds values of different kinds: " + name_of(one.content) + " and " + name_of(other.content);
  if (one.model != other.model)
    return "adds " + name_of(one.content) + " to " + name_of(other.content) +
           " of other elements of the model";
  if (one.version != other.version)
    return "adds " + name_of(one.content) + " to " + name_of(other.content) +
           ", but only one of the two is clipped or updated";
  return {};
}

}  // namespace

std::size_t GradientSums::contribution(std::size_t rank, Compute const& compute) {
  return sets_.id({{rank, compute.micro_batch, compute.op}});
}

std::optional<std::size_t> GradientSums::cover(std::size_t rank, std::vector<Slice> slices) {
  const auto id = covers_.id(std::move(slices));
  if (!id) findings_.add(Rule::contributes_once, rank, "adds the square of an element twice");
  return id;
}

Segments GradientSums::sum(std::size_t rank, std::vector<Segments> const& sources, Reduction reduction) {
  Segments result;
  std::vector<std::size_t> next(sources.size());
  for (std::size_t at = 0;;) {
    std::size_t end = std::size_t(-1);
    std::vector<Value> values;
    for (std::size_t s = 0; s < sources.size(); ++s) {
      while (next[s] < sources[s].size() && sources[s][next[s]].slice.end() <= at) ++next[s];
      if (next[s] == sources[s].size()) return result;
      end = std::min(end, sources[s][next[s]].slice.end());
      values.push_back(sources[s][next[s]].value);
    }
    result.push_back({{at, end - at}, sum(rank, values, reduction)});
    at = end;
  }
}

std::optional<std::size_t> GradientSums::joined(Content content, std::vector<std::size_t> const& sets,
                                                Reduction reduction) {
  if (content == Content::norm) return covers_.joined(sets);
  return reduction == Reduction::average ? sets_.averaged(sets) : sets_.joined(sets);
}

Value GradientSums::sum(std::size_t rank, std::vector<Value> const& values, Reduction reduction) {
  Value total = values.front();
  std::vector<std::size_t> sets;
  for (Value const& value : values) {
    if (value.padding) return {.padding = true};
    if (const std::string why = obstacle(total, value); !why.empty()) {
      findings_.add(Rule::right_content, rank, why);
      return {.padding = true};
    }
    sets.push_back(value.set);
  }
  if (total.content != Content::gradient && total.content != Content::norm) {
    findings_.add(Rule::right_content, rank,
                  "adds " + name_of(total.content) + ", which is not a gradient or a norm");
    return {.padding = true};
  }
  if (total.content == Content::norm && reduction == Reduction::average && sets.size() > 1)
    findings_.add(Rule::averaged, rank, "averages sums of squares, which must be added");
  const auto set = joined(total.content, sets, reduction);
  if (!set) {
    findings_.add(Rule::contributes_once, rank, "a contribution enters " + name_of(total.content) + " twice");
    return {.padding = true};
  }
  total.set = *set;
  return total;
}

void GradientSums::check_norm(std::size_t rank, Value const& value) {
  if (covers_.equals(value.set, contents_.graph(rank).expected.gradients)) return;
  findings_.add(Rule::contributes_all, rank, "the norm does not cover exactly all gradients");
}

void GradientSums::check_complete(std::size_t rank, Segment const& segment) {
  if (segment.value.content == Content::norm) return check_norm(rank, segment.value);
  auto const& expected = contents_.graph(rank).expected.gradients;
  const auto first =
      static_cast<std::size_t>(static_cast<std::ptrdiff_t>(segment.slice.offset) + segment.value.model);
  auto each = std::ranges::upper_bound(expected, first, {}, [](auto const& e) { return e.model.end(); });
  for (std::size_t at = first; at < first + segment.slice.count; ++each) {
    if (each == expected.end() || each->model.offset > at) {
      return findings_.add(
          Rule::contributes_all, rank,
          "has a gradient of element " + std::to_string(at) + ", to which no operator contributes");
    }
    at = each->model.end();
    const auto set = segment.value.set, all = expected_set(rank, *each);
    if (set == all) continue;
    const std::string gradient = "the gradient of elements " + std::to_string(each->model.offset) + " to " +
                                 std::to_string(each->model.end() - 1) + " of the model has ";
    if (sets_.same_terms(set, all))
      return findings_.add(Rule::averaged, rank,
                           gradient + "all contributions, but is not their average over the replicas");
    return findings_.add(Rule::contributes_all, rank,
                         gradient + std::to_string(sets_.size(set)) +
                             " contributions; expected: one for each combination of replica, micro-batch and operator");
  }
}

std::size_t GradientSums::expected_set(std::size_t rank, ExpectedGradient const& gradient) {
  Expected const& expected = contents_.graph(rank).expected;
  auto const& group = contents_.group(rank, expected.replicas);
  const auto [known, is_new] = expected_.try_emplace({group.front(), &gradient}, 0);
  if (!is_new) return known->second;
  std::vector<Contribution> all;
  for (const std::size_t replica : group) {
    for (int m = 0; m < expected.micro_batches; ++m) {
      for (const OperatorId op : gradient.operators) all.push_back({replica, m, op, group.size()});
    }
  }
  return known->second = sets_.id(std::move(all));
}

}  // namespace ddproxy::model
