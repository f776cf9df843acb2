// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "results/output/file_lock.hpp"
#include "results/output/fresh_file.hpp"

namespace ddproxy::results {

/// Writes the unfinished file PATH.part, and renames it to PATH at the end. Each replace() puts a complete
/// new file in the place of PATH.part. After a kill, a full disk or a power cut, PATH.part has either the old
/// bytes or the new bytes, never a mixture.
class PartFile {
 public:
  /// Locks PATH, see FileLock. If an earlier run left PATH.part, it is renamed to PATH.part.N, where N is the
  /// first free number from 1. Throws std::invalid_argument if PATH cannot be written or if another program
  /// is writing it, and std::runtime_error if the disk is full.
  explicit PartFile(std::filesystem::path path);

  /// Writes the bytes to a new file, syncs it, and renames it to PATH.part. Throws std::runtime_error that
  /// names PATH.part; the file then still has the previous bytes.
  void replace(std::string_view bytes);
  /// Renames PATH.part to PATH and syncs the folder. Throws std::runtime_error if this fails.
  void finish();
  /// Releases the lock, so that another program can write PATH. Call it as the last function.
  void release() { lock_.reset(); }

  /// Returns the path of PATH.part.
  std::filesystem::path const& part() const { return part_; }
  /// Returns the new name of the PATH.part that an earlier run left. Returns nothing if there was none.
  std::optional<std::filesystem::path> const& kept() const { return kept_; }
  /// Returns the reason why the file system has no locks; empty if it has locks. Do not call it after
  /// release().
  std::string const& no_locks() const { return lock_->no_locks(); }

 private:
  void keep_earlier();
  void check_ours();

  std::filesystem::path path_, part_;
  std::optional<FileLock> lock_;
  std::optional<std::filesystem::path> kept_;
  FileIdentity written_;  // the file that the last replace() wrote
};

}  // namespace ddproxy::results
