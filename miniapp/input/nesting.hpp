// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>

namespace ddproxy {

inline constexpr std::size_t most_nested = 16;  ///< brackets within each other, and dots of one key

/// Checks TOML before it is parsed: the parser and what it returns call themselves once a level, and 40,000
/// levels overflow the stack. Throws std::invalid_argument "FILE:LINE: what is wrong" where brackets or the
/// parts of a dotted key nest deeper than most_nested; strings and comments do not count.
void check_nesting(std::filesystem::path const& file, std::string_view text);

}  // namespace ddproxy
