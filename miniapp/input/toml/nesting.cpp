// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/input/toml/nesting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace ddproxy {
namespace {

// Returns the length of the quoted string with which the text begins, including the closing quotes. Without
// closing quotes, a string extends to the end of its line, and a multi-line string to the end of the text.
std::size_t string_length(std::string_view text) {
  const char quote = text[0];
  const bool has_escapes = quote == '"', many_lines = text.size() > 2 && text[1] == quote && text[2] == quote;
  const std::string_view end = text.substr(0, many_lines ? 3 : 1);
  for (std::size_t at = end.size(); at < text.size(); ++at) {
    if (text.substr(at).starts_with(end)) return at + end.size();
    if (text[at] == '\n' && !many_lines) return at;
    if (text[at] == '\\' && has_escapes) ++at;
  }
  return text.size();
}

// Returns the length of the string or comment with which the text begins; 0 if it begins with another token.
std::size_t skipped(std::string_view text) {
  if (text[0] == '"' || text[0] == '\'') return string_length(text);
  return text[0] == '#' ? std::min(text.find('\n'), text.size()) : 0;
}

// The number of open brackets, and the number of dots in the current key.
struct Depth {
  std::size_t brackets = 0, dots = 0;

  void add(char c) {
    if (c == '.') {
      ++dots;
      return;
    }
    if (c == '[' || c == '{') ++brackets;
    if ((c == ']' || c == '}') && brackets > 0) --brackets;
    if (std::string_view("[{]},=\n").find(c) != std::string_view::npos) dots = 0;
  }
};

}  // namespace

void check_nesting(std::filesystem::path const& file, std::string_view text) {
  Depth depth;
  for (std::size_t at = 0; at < text.size();) {
    if (const auto length = skipped(text.substr(at)); length > 0) {
      at += length;
      continue;
    }
    depth.add(text[at++]);
    if (depth.brackets > most_nested || depth.dots > most_nested)
      throw std::invalid_argument(fmt::format(
          "{}:{}: {} nest deeper than {} levels, but an input file needs at most three; check the file",
          file.string(), std::ranges::count(text.substr(0, at), '\n') + 1,
          depth.dots > most_nested ? "the parts of a dotted key" : "brackets", most_nested));
  }
}

}  // namespace ddproxy
