// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/step/check/contributions.hpp"

#include <algorithm>
#include <iterator>

namespace ddproxy::model {
namespace {

/// Sorts slices and merges those that touch. Returns nothing if two overlap.
std::optional<std::vector<Slice>> merged(std::vector<Slice> slices) {
  std::ranges::sort(slices, {}, &Slice::offset);
  std::vector<Slice> result;
  for (const Slice slice : slices) {
    if (!result.empty() && slice.offset < result.back().end()) return std::nullopt;
    if (!result.empty() && slice.offset == result.back().end()) {
      result.back().count += slice.count;
    } else {
      result.push_back(slice);
    }
  }
  return result;
}

}  // namespace

ContributionSets::Id ContributionSets::id(std::vector<Contribution> set) {
  std::ranges::sort(set);
  const auto [known, is_new] = ids_.try_emplace(set, sets_.size());
  if (is_new) sets_.push_back(std::move(set));
  return known->second;
}

std::optional<ContributionSets::Id> ContributionSets::joined(std::vector<Id> const& sets) {
  const auto known = unions_.find(sets);
  if (known != unions_.end()) return known->second;
  std::vector<Contribution> all;
  for (const Id set : sets) all.insert(all.end(), sets_[set].begin(), sets_[set].end());
  std::ranges::sort(all);
  const bool twice = std::ranges::adjacent_find(all, &Contribution::same_term) != all.end();
  return unions_[sets] = twice ? std::nullopt : std::optional(id(std::move(all)));
}

std::optional<ContributionSets::Id> ContributionSets::averaged(std::vector<Id> const& sets) {
  const auto [known, is_new] = averages_.try_emplace(sets);
  if (!is_new) return known->second;
  std::vector<Contribution> common = sets_[sets.front()];
  for (const Id set : sets) {
    std::vector<Contribution> both;
    std::ranges::set_intersection(common, sets_[set], std::back_inserter(both));
    common = std::move(both);
  }
  if (sets.size() < 2) common.clear();
  std::vector<Id> parts{id(common)};
  for (const Id set : sets) {
    std::vector<Contribution> own;
    std::ranges::set_difference(sets_[set], common, std::back_inserter(own));
    if (own.empty()) return std::nullopt;
    for (Contribution& each : own) each.divisor *= sets.size();
    parts.push_back(id(std::move(own)));
  }
  return known->second = joined(parts);
}

bool ContributionSets::same_terms(Id a, Id b) const {
  return std::ranges::equal(sets_[a], sets_[b], &Contribution::same_term);
}

std::optional<CoveredElements::Id> CoveredElements::id(std::vector<Slice> slices) {
  auto cover = merged(std::move(slices));
  if (!cover) return std::nullopt;
  covers_.push_back(std::move(*cover));
  return covers_.size() - 1;
}

std::optional<CoveredElements::Id> CoveredElements::joined(std::vector<Id> const& covers) {
  std::vector<Slice> all;
  for (const Id cover : covers) all.insert(all.end(), covers_[cover].begin(), covers_[cover].end());
  return id(std::move(all));
}

bool CoveredElements::equals(Id cover, std::vector<ExpectedGradient> const& expected) const {
  std::vector<Slice> slices;
  for (auto const& each : expected) slices.push_back(each.model);
  return merged(std::move(slices)) == covers_[cover];
}

}  // namespace ddproxy::model
