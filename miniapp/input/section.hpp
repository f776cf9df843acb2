// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <toml++/toml.h>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "miniapp/input/words.hpp"
#include "model/text/echo.hpp"

namespace ddproxy {

/// One table of an input file. Each getter returns the key's value or the fallback; a value of another type
/// is a std::invalid_argument "FILE:LINE: [section] key: what is wrong". finish() refuses the keys that
/// nobody asked for.
class Section {
 public:
  Section(toml::table const& root, std::string name, std::filesystem::path file);

  bool has(std::string_view key) const { return table_ != nullptr && table_->contains(key); }
  std::string text(std::string_view key, std::string fallback);
  bool flag(std::string_view key, bool fallback);
  std::int64_t integer(std::string_view key, std::int64_t fallback, std::int64_t least, std::int64_t most);
  double number(std::string_view key, double fallback);
  double positive(std::string_view key, double fallback);
  std::vector<double> positive_list(std::string_view key, std::vector<double> fallback);
  std::vector<std::string> text_list(std::string_view key, std::vector<std::string> fallback);
  /// A path, relative to the input file's folder; empty where the key is absent.
  std::filesystem::path path(std::string_view key);
  void finish() const;

  /// The meaning of the key's word in `words` (miniapp/input/words.hpp).
  template <class E, std::size_t n>
  E choice(std::string_view key, E fallback, std::array<Word<E>, n> const& words) {
    const std::string value = text(key, std::string(word_of(fallback, words)));
    const auto meaning = find_word(value, words);
    if (!meaning) fail(key, "'" + model::echo(value) + "' is unknown; use one of: " + list_words(words));
    return *meaning;
  }

  [[noreturn]] void fail(std::string_view key, std::string const& what) const;

 private:
  toml::node const* find(std::string_view key);
  void remember(std::string_view key) { asked_.emplace(key); }

  std::string name_;
  std::filesystem::path file_;
  toml::table const* table_;
  std::set<std::string, std::less<>> asked_;
};

/// Parses FILE; a syntax error, values nested too deep or a top-level name other than `sections` is a
/// std::invalid_argument naming file and line.
toml::table parse_input(std::filesystem::path const& file, std::string_view text,
                        std::span<const std::string_view> sections);

}  // namespace ddproxy
