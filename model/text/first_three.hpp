// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace ddproxy::model {

/// The maximum number of texts that first_three() returns.
inline constexpr std::size_t most_named = 3;

/// Returns the first three texts for a message, separated by semicolons, and the number of the other ones,
/// for instance "a; b; c; and 2 others".
std::string first_three(std::vector<std::string> const& texts);

}  // namespace ddproxy::model
