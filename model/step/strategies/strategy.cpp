// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/step/strategies/strategy.hpp"

#include <algorithm>
#include <stdexcept>

namespace ddproxy::model {

Strategy const* find_strategy(std::string_view name) {
  const auto found = std::ranges::find(strategies, name, &Strategy::name);
  return found == strategies.end() ? nullptr : &*found;
}

Strategy const& strategy_named(std::string_view name) {
  if (auto const* found = find_strategy(name)) return *found;
  throw std::invalid_argument("there is no strategy '" + std::string(name) + "'; use: " + list_strategies());
}

std::string list_strategies() {
  std::string list;
  for (Strategy const& one : strategies) list += (list.empty() ? "" : ", ") + std::string(one.name);
  return list;
}

}  // namespace ddproxy::model
