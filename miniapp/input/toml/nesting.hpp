// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>

namespace ddproxy {

inline constexpr std::size_t most_nested = 16;  ///< limit of brackets within each other, and of dots in a key

/// Checks the nesting of a TOML text before it is parsed. Throws std::invalid_argument "FILE:LINE: what is
/// wrong" if brackets or the parts of a dotted key nest deeper than most_nested. Strings and comments do not
/// count.
///
/// Reason: the parser recurses once for each level, and so do the functions of the table that it returns. A
/// text with 40,000 levels overflows the stack.
void check_nesting(std::filesystem::path const& file, std::string_view text);

}  // namespace ddproxy
