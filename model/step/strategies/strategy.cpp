// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/step/strategies/strategy.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace ddproxy::model {

// Declares the functions that the table names.
#define DDPROXY_STRATEGY(name, buckets, overlapped, build) \
  RankGraphs build(BackwardPass const& pass, Ddp const& step, std::size_t ranks);
#include "model/step/strategies/table.inc"
#undef DDPROXY_STRATEGY

namespace {

constexpr Strategy table[] = {
#define DDPROXY_STRATEGY(name, buckets, overlapped, build) {name, BucketRule::buckets, overlapped, build},
#include "model/step/strategies/table.inc"
#undef DDPROXY_STRATEGY
};

}  // namespace

std::span<Strategy const> strategies() {
  return table;
}

Strategy const* find_strategy(std::string_view name) {
  const auto found = std::ranges::find(table, name, &Strategy::name);
  return found == std::end(table) ? nullptr : &*found;
}

Strategy const& strategy_named(std::string_view name) {
  if (auto const* found = find_strategy(name)) return *found;
  throw std::invalid_argument("there is no strategy '" + std::string(name) +
                              "'; use one of these: " + list_strategies());
}

std::string list_strategies() {
  std::string list;
  for (Strategy const& one : table) list += (list.empty() ? "" : ", ") + std::string(one.name);
  return list;
}

}  // namespace ddproxy::model
