// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "results/output/file_lock.hpp"
#include "results/output/fresh_file.hpp"

namespace ddproxy::results {

/// PATH.part on the disk, which becomes PATH at the end. Each replace() puts a whole new file there, so that
/// a kill, a full disk or a power cut leaves the old bytes or the new ones and never a mixture.
class PartFile {
 public:
  /// Locks PATH, and renames what an earlier run left in PATH.part to PATH.part.1, .2 and so on. Throws
  /// std::invalid_argument where PATH cannot be written or another program is writing it,
  /// std::runtime_error where the disk is full.
  explicit PartFile(std::filesystem::path path);

  /// Writes the bytes to a fresh file, syncs it, and renames it over PATH.part. Throws std::runtime_error
  /// that names PATH.part; the bytes from before are then still there.
  void replace(std::string_view bytes);
  /// Renames PATH.part to PATH and syncs the folder. Throws std::runtime_error.
  void finish();
  /// Lets another program write PATH. Call it last.
  void release() { lock_.reset(); }

  std::filesystem::path const& part() const { return part_; }
  /// The name that the part of an earlier run has now; nothing where there was none.
  std::optional<std::filesystem::path> const& kept() const { return kept_; }
  /// Why the file system has no locks; empty where it has. Not after release().
  std::string const& no_locks() const { return lock_->no_locks(); }

 private:
  void keep_earlier();
  void check_ours();

  std::filesystem::path path_, part_;
  std::optional<FileLock> lock_;
  std::optional<std::filesystem::path> kept_;
  FileIdentity written_;  // of the last replace()
};

}  // namespace ddproxy::results
