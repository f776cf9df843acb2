// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace ddproxy::results {

/// Returns the text "'A' against 'B'" for two different values of a key, for messages. If the values of this
/// key are lists, the text has only the entries that the other list lacks, at most three of each list; it has
/// "none of these" in place of a list without such entries. Numbers get their names or units, for instance
/// "batch 2, sequence 32" for the key `step`.
std::string against(std::string const& key, std::string const& a, std::string const& b);

}  // namespace ddproxy::results
