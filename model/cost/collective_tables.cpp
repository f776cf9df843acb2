// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/cost/collective_tables.hpp"

namespace ddproxy::model {
namespace {

/// Returns the verb under which the table of `verb` is stored.
Verb table_of(Verb verb) {
  return verb == Verb::receive ? Verb::send : verb;
}

}  // namespace

std::optional<Substitute> substitute_of(Verb verb) {
  if (verb == Verb::reduce_scatter || verb == Verb::all_gather) return Substitute{Verb::all_reduce, 0.5};
  return std::nullopt;
}

void CollectiveTables::set(Verb verb, int ranks, TableCost cost) {
  tables_.insert_or_assign({table_of(verb), ranks}, std::move(cost));
}

TableCost const* CollectiveTables::find(Verb verb, int ranks) const {
  const auto found = tables_.find({table_of(verb), ranks});
  return found == tables_.end() || ranks == unknown_ranks ? nullptr : &found->second;
}

std::optional<CollectiveTables::Source> CollectiveTables::source(Verb verb, int ranks) const {
  if (auto const* own = find(verb, ranks)) return Source{own, 1};
  const auto substitute = substitute_of(verb);
  auto const* other = substitute ? find(substitute->verb, ranks) : nullptr;
  if (!other) return std::nullopt;
  return Source{other, substitute->share};
}

}  // namespace ddproxy::model
