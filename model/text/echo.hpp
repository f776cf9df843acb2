// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ddproxy::model {

/// Returns external text in a form that is safe for a terminal, a table or a message. Each byte of a control
/// character, of a line or paragraph separator, of a character that begins or ends a change of the direction
/// of text, or of U+FFFE and U+FFFF becomes "\xNN". Each byte that is not valid UTF-8 becomes "\xNN", too.
std::string printable(std::string_view text);

/// Returns true if printable() would leave the text unchanged.
bool is_printable(std::string_view text);

/// Default limit of echo(), in characters.
inline constexpr std::size_t most_echoed = 80;

/// Returns printable(text), truncated after `most` characters. "\xNN" counts as one character. If the text
/// was truncated, a note at the end says how many bytes of it are missing. Use it in messages that quote the
/// user or a file.
std::string echo(std::string_view text, std::size_t most = most_echoed);

}  // namespace ddproxy::model
