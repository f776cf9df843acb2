// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "results/file/reader.hpp"
#include "results/run/run.hpp"

namespace ddproxy::results {

/// Returns the keys of Run::conditions, each once.
std::span<const std::string_view> condition_keys();

/// Returns the conditions under which the run of a file was measured. Throws the exceptions that
/// results/file/reader.hpp lists for Reader.
std::vector<Condition> conditions_of(Reader const& reader);

/// Returns true if the run has every condition that conditions_of() returns, in the same order.
bool has_all_conditions(Run const& run);

/// Returns true if the file of the run contains a value for the condition `key`.
bool says_condition(Run const& run, std::string_view key);

/// Describes the first difference between two runs in one condition.
struct ConditionDifference {
  std::string key;
  std::string files;   ///< "a.h5 and b.h5"
  std::string values;  ///< "'x' against 'y'"
};

/// Returns for each key the first difference between two of the runs, if there is one. Keys in `allowed` are
/// skipped. Two clocks differ if they are more than 5 % apart, and two machine states if their round trips
/// differ by more than a factor of 1.6. A value that a file does not contain is not compared.
std::vector<ConditionDifference> differing_conditions(std::span<Run const* const> runs,
                                                      std::span<const std::string> allowed);

}  // namespace ddproxy::results
