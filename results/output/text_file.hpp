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

/// A text and the file that it belongs into.
struct TextFile {
  std::filesystem::path path;
  std::string text;
};

/// Writes a file whole or not at all: a fresh file beside it takes its name. A pipe or a device is written
/// directly. Throws std::invalid_argument where there can be no such file, std::runtime_error, with the
/// reason, where the disk does not take it.
void write_text(std::filesystem::path const& path, std::string const& text);

/// Texts that lie on the disk under other names until all of them take their names, one right after another.
class TextFiles {
 public:
  /// Writes all of them that it can.
  explicit TextFiles(std::vector<TextFile> const& files);
  /// Removes the files whose names they will take.
  void remove_old() const;
  /// Renames all that were written. Throws std::runtime_error, with the first failure of writing or renaming.
  void take_place();

 private:
  struct Prepared {
    std::filesystem::path path;
    std::unique_ptr<FreshFile> file;  // empty: written directly
    std::string text;                 // of such a one
  };
  void attempt(std::function<void()> const& action);
  static Prepared prepare(TextFile const& file);
  friend void write_text(std::filesystem::path const& path, std::string const& text);

  std::vector<Prepared> files_;
  std::string failure_;  // the first; empty where there is none
};

}  // namespace ddproxy::results
