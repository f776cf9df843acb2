// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "results/output/fresh_file.hpp"

namespace ddproxy::results {

/// A text and the path of its file.
struct TextFile {
  std::filesystem::path path;
  std::string text;
};

/// Writes a file completely or not at all: a fresh file next to it is renamed to its name. A pipe or a device
/// is written directly. Throws std::invalid_argument if such a file cannot exist, and std::runtime_error with
/// the reason if the disk does not accept it.
void write_text(std::filesystem::path const& path, std::string const& text);

/// Writes several texts to the disk under temporary names, and then renames all of them, one right after
/// another.
class TextFiles {
 public:
  /// Writes each text to a temporary file. The text for a pipe or a device is written by take_place(). A
  /// failure is stored and reported by take_place().
  explicit TextFiles(std::vector<TextFile> const& files);
  /// Removes the files that will be replaced.
  void remove_old() const;
  /// Renames all texts that were written. Throws std::runtime_error with the first failure of writing or
  /// renaming.
  void take_place();

 private:
  struct Prepared {
    std::filesystem::path path;
    std::unique_ptr<FreshFile> file;  // empty: the text is written directly
    std::string text;                 // only for a text that is written directly
  };
  void attempt(std::function<void()> const& action);
  static Prepared prepare(TextFile const& file);
  friend void write_text(std::filesystem::path const& path, std::string const& text);

  std::vector<Prepared> files_;
  std::string failure_;  // the first failure; empty if there is none
};

}  // namespace ddproxy::results
