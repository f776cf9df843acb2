// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "results/file/reader.hpp"
#include "results/run/run_file.hpp"

namespace ddproxy::results {

/// The keys of Run::conditions, each once.
std::span<const std::string_view> condition_keys();

/// Under which conditions a file was measured. Throws as Reader does.
std::vector<Condition> conditions_of(Reader const& reader);

/// True where the run has each condition that conditions_of() returns, in its order.
bool has_all_conditions(Run const& run);

/// True where the file says something of that condition.
bool says_condition(Run const& run, std::string_view key);

/// The first difference between two runs in one condition.
struct ConditionDifference {
  std::string key;
  std::string files;   ///< "a.h5 and b.h5"
  std::string values;  ///< "'x' against 'y'"
};

/// The first pair of runs that differs in each key, at most one a key; keys in `allowed` are left out. Clocks
/// differ where they are more than 5 % apart. What a file does not say is not compared.
std::vector<ConditionDifference> differing_conditions(std::span<Run const* const> runs,
                                                      std::span<const std::string> allowed);

}  // namespace ddproxy::results
