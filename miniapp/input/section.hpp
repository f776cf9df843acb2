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

/// One table of an input file.
///
/// Call a getter for every key that the section may have, then finish(). Each getter returns the value of the
/// key, or the fallback if the key is absent. A value of a wrong type or outside its range throws
/// std::invalid_argument "FILE:LINE: [section] key: what is wrong". finish() rejects the keys for which no
/// getter was called.
class Section {
 public:
  /// `root` must outlive the section. It need not contain the table `name`. Throws std::invalid_argument if
  /// `name` is not a table.
  Section(toml::table const& root, std::string name, std::filesystem::path file);

  bool has(std::string_view key) const { return table_ != nullptr && table_->contains(key); }
  std::string text(std::string_view key, std::string fallback);
  /// Returns true or false.
  bool flag(std::string_view key, bool fallback);
  /// Returns a whole number from `least` to `most`.
  std::int64_t integer(std::string_view key, std::int64_t fallback, std::int64_t least, std::int64_t most);
  /// Returns a finite number.
  double number(std::string_view key, double fallback);
  /// Returns a finite number above 0. The fallback may be 0.
  double positive(std::string_view key, double fallback);
  /// Returns different finite numbers above 0, at least one.
  std::vector<double> positive_list(std::string_view key, std::vector<double> fallback);
  /// Returns different texts, at least one.
  std::vector<std::string> text_list(std::string_view key, std::vector<std::string> fallback);
  /// Returns a path. A relative path begins at the folder of the input file. Returns an empty path if the key
  /// is absent.
  std::filesystem::path path(std::string_view key);
  /// Throws std::invalid_argument for a key for which no getter was called.
  void finish() const;

  /// Returns the meaning of the key's word in `words` (miniapp/input/words.hpp).
  template <class E, std::size_t n>
  E choice(std::string_view key, E fallback, std::array<Word<E>, n> const& words) {
    const std::string value = text(key, std::string(word_of(fallback, words)));
    const auto meaning = find_word(value, words);
    if (!meaning) fail(key, "'" + model::echo(value) + "' is unknown; use one of: " + list_words(words));
    return *meaning;
  }

  /// Throws std::invalid_argument with file, line, section and key before `what`. An empty `key` means the
  /// section.
  [[noreturn]] void fail(std::string_view key, std::string const& what) const;

 private:
  toml::node const* find(std::string_view key);
  void remember(std::string_view key) { asked_.emplace(key); }

  std::string name_;
  std::filesystem::path file_;
  toml::table const* table_;
  std::set<std::string, std::less<>> asked_;
};

/// Parses `text`, the content of `file`. Throws std::invalid_argument that names file and line for a syntax
/// error, for values that nest too deep, and for a section that is not in `sections`.
toml::table parse_input(std::filesystem::path const& file, std::string_view text,
                        std::span<const std::string_view> sections);

}  // namespace ddproxy
