// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string_view>

namespace ddproxy::results {

/// Tells one file from all others of this machine, whatever their names are.
struct FileIdentity {
  dev_t device = 0;
  ino_t number = 0;
  bool operator==(FileIdentity const&) const = default;
};

/// A new file in the folder of `target`. It is written, synced and then renamed over the target, so that the
/// target is whole at every moment. Its name, ".TARGET.16 random digits.tmp", cannot be predicted, and it is
/// opened with O_EXCL and O_NOFOLLOW: neither another program nor a link that somebody planted is written to.
/// The destructor removes it unless it took the target's place; only a kill leaves it behind.
class FreshFile {
 public:
  /// Throws std::runtime_error where the disk is full, std::invalid_argument where the folder takes no file.
  explicit FreshFile(std::filesystem::path target);
  ~FreshFile();
  FreshFile(FreshFile const&) = delete;
  FreshFile& operator=(FreshFile const&) = delete;

  /// Writes all bytes. Throws std::runtime_error that names the target and the system's reason.
  void write(std::string_view bytes);
  /// Gives the file the access rights of the target, where there is one.
  void keep_rights();
  /// Syncs the file to the disk and renames it over the target. Throws as write(). Call it once, last.
  void take_place();
  FileIdentity identity() const { return identity_; }

 private:
  std::filesystem::path target_, name_;
  int descriptor_ = -1;
  bool in_place_ = false;
  FileIdentity identity_;
};

/// Removes the fresh files of this target that killed programs left. Call it only while no other program can
/// be writing the target.
void remove_abandoned(std::filesystem::path const& target) noexcept;

/// The identity of the file that has this name now; all zero where there is none.
FileIdentity identity_of(std::filesystem::path const& path);

/// Throws std::runtime_error: PATH cannot be written, with the system's reason for the error number.
[[noreturn]] void fail_to_write(std::filesystem::path const& path, int reason);

}  // namespace ddproxy::results
