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

/// Holds a text and the path of its file.
struct TextFile {
  std::filesystem::path path;
  std::string text;
};

/// Writes a file completely or not at all. The text goes to a new file in the same folder, which is then
/// renamed to `path` (FreshFile). Two kinds of files are written directly instead: a pipe or a device, and a
/// file in a folder in which no new file can be created. Throws std::invalid_argument if a file with this
/// path cannot be created, and std::runtime_error with the reason if it cannot be written.
void write_text(std::filesystem::path const& path, std::string const& text);

/// Writes several texts to the disk under temporary names, and then renames all of them, one right after
/// another.
class TextFiles {
 public:
  /// Writes each text to a temporary file. The texts that write_text() would write directly are not written
  /// yet; take_place() writes them. A failure is stored and reported by take_place().
  explicit TextFiles(std::vector<TextFile> const& files);
  /// Removes the old files of all texts except those that are written directly. It also removes the old file
  /// of a text that could not be written to a temporary file.
  void remove_old() const;
  /// Renames all temporary files to their final names, and writes the other texts directly. Throws
  /// std::runtime_error with the first failure of writing or renaming.
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
  std::vector<std::filesystem::path> replaced_;  // paths of the texts that are not written directly
  std::string failure_;                          // the first failure; empty if there is none
};

}  // namespace ddproxy::results
