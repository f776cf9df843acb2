// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ddproxy::model {

/// Returns text from outside as a terminal, a table or a message may show it: each byte of a control or
/// invisible formatting character, and each byte that is no UTF-8, becomes "\xNN".
std::string printable(std::string_view text);

/// Returns true where printable() changes nothing.
bool is_printable(std::string_view text);

inline constexpr std::size_t most_echoed = 80;

/// Returns printable(text), cut after `most` characters; what follows says how many bytes are missing. For
/// messages that repeat what the user or a file said.
std::string echo(std::string_view text, std::size_t most = most_echoed);

}  // namespace ddproxy::model
