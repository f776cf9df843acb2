// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/text/echo.hpp"

#include <cstdio>
#include <limits>

namespace ddproxy::model {
namespace {

bool continues(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

// Returns the number of bytes of a UTF-8 character that begins with `first`; 0 if no character can begin with
// this byte.
std::size_t length_of(unsigned char first) {
  return first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
}

// Returns true for control characters, for line and paragraph separators, for the characters that begin or
// end a change of the direction of text, and for characters that XML forbids.
bool is_hidden(unsigned code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069) || code == 0xFFFE || code == 0xFFFF;
}

bool is_overlong_or_surrogate(unsigned code, std::size_t length) {
  return (length == 3 && code < 0x800) || (length == 4 && code < 0x10000) ||
         (code >= 0xD800 && code < 0xE000) || code > 0x10FFFF;
}

// Returns the number of bytes of the visible character at the start of `text`; 0 if there is none.
std::size_t visible(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const std::size_t length = length_of(first);
  if (length == 0 || length > text.size()) return 0;
  unsigned code = length == 1 ? first : first & (0xFFU >> (length + 1));
  for (std::size_t k = 1; k < length; ++k) {
    if (!continues(text[k])) return 0;
    code = code << 6 | (static_cast<unsigned char>(text[k]) & 0x3FU);
  }
  return is_hidden(code) || is_overlong_or_surrogate(code, length) ? 0 : length;
}

std::string hexadecimal(char byte) {
  char text[8];
  std::snprintf(text, sizeof text, "\\x%02X", static_cast<unsigned>(static_cast<unsigned char>(byte)));
  return text;
}

}  // namespace

std::string printable(std::string_view text) {
  return echo(text, std::numeric_limits<std::size_t>::max());
}

bool is_printable(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = visible(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string echo(std::string_view text, std::size_t most) {
  std::string shown;
  for (std::size_t characters = 0; !text.empty() && characters < most; ++characters) {
    const std::size_t length = visible(text);
    length > 0 ? shown.append(text.substr(0, length)) : shown.append(hexadecimal(text[0]));
    text.remove_prefix(length > 0 ? length : 1);
  }
  if (text.empty()) return shown;
  return shown + "[and " + std::to_string(text.size()) + (text.size() == 1 ? " byte more]" : " bytes more]");
}

}  // namespace ddproxy::model
