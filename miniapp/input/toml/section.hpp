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

/// One section of an input file, which is a TOML table.
///
/// Order of calls: call a getter for every key that the section may have, then finish(). Each getter returns
/// the value of the key, or the fallback if the key is absent. If the value has a wrong type or is out of
/// range, the getter throws std::invalid_argument "FILE:LINE: [section] key: what is wrong". finish() rejects
/// the keys for which no getter was called.
class Section {
 public:
  /// `root` must outlive the section. If `root` has no table `name`, every key is absent. Throws
  /// std::invalid_argument if `name` is not a table.
  Section(toml::table const& root, std::string name, std::filesystem::path file);

  bool has(std::string_view key) const { return table_ != nullptr && table_->contains(key); }
  std::string text(std::string_view key, std::string fallback);
  /// Returns true or false.
  bool flag(std::string_view key, bool fallback);
  /// Returns a whole number from `least` to `most`. The fallback may be outside of this range.
  std::int64_t integer(std::string_view key, std::int64_t fallback, std::int64_t least, std::int64_t most);
  /// Returns a finite number.
  double number(std::string_view key, double fallback);
  /// Returns a finite number above 0. The fallback may be 0.
  double positive(std::string_view key, double fallback);
  /// Returns a list of at least one number. All numbers are finite, above 0 and different from each other.
  std::vector<double> positive_list(std::string_view key, std::vector<double> fallback);
  /// Returns a list of at least one text. All texts are different from each other.
  std::vector<std::string> text_list(std::string_view key, std::vector<std::string> fallback);
  /// Returns a path. A relative path is taken as relative to the folder of the input file. Returns an empty
  /// path if the key is absent.
  std::filesystem::path path(std::string_view key);
  /// Throws std::invalid_argument if the section has a key for which no getter was called.
  void finish() const;

  /// Returns the meaning of the key's word. `words` lists the allowed words (miniapp/input/words.hpp).
  template <class Words>
  MeaningOf<Words> choice(std::string_view key, MeaningOf<Words> fallback, Words const& words) {
    const std::string value = text(key, std::string(word_of(fallback, words)));
    const auto meaning = find_word(value, words);
    if (!meaning) fail(key, "'" + model::echo(value) + "' is unknown; use one of: " + list_words(words));
    return *meaning;
  }

  /// Throws std::invalid_argument. The message has the file, line, section and key, then `what`. If `key` is
  /// empty, the message is about the section as a whole.
  [[noreturn]] void fail(std::string_view key, std::string const& what) const;

 private:
  toml::node const* find(std::string_view key);
  void remember(std::string_view key) { asked_.emplace(key); }

  std::string name_;
  std::filesystem::path file_;
  toml::table const* table_;
  std::set<std::string, std::less<>> asked_;
};

/// Parses `text`, the content of `file`. Throws std::invalid_argument with file and line if the syntax is
/// wrong, if values nest too deep (miniapp/input/toml/nesting.hpp), or if a section is not in `sections`.
toml::table parse_input(std::filesystem::path const& file, std::string_view text,
                        std::span<const std::string_view> sections);

}  // namespace ddproxy
