// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace ddproxy::results {

/// Returns 16 random hexadecimal digits.
std::string random_digits();

/// Identifies one file of this machine. Two names of the same file have the same identity.
struct FileIdentity {
  dev_t device = 0;
  ino_t number = 0;
  bool operator==(FileIdentity const&) const = default;
};

/// Writes a new file in the folder of `target`, and renames it to the target once it is complete. So the
/// target is complete at every moment. Order of calls: construct, write(), keep_rights() if wanted,
/// take_place().
///
/// The name of the new file is a dot, the name of the target, a dot, 16 random digits and ".tmp". Nobody can
/// predict this name, and the file is opened with O_EXCL and O_NOFOLLOW. So the class never writes to a file
/// of another program, or through a symbolic link that somebody planted. The destructor removes the new file
/// if it was not renamed. If the process is killed, the new file stays; see remove_abandoned().
class FreshFile {
 public:
  /// Creates the file. Throws std::runtime_error if the disk is full, and std::invalid_argument if no file
  /// can be created in the folder.
  explicit FreshFile(std::filesystem::path target);
  ~FreshFile();
  FreshFile(FreshFile const&) = delete;
  FreshFile& operator=(FreshFile const&) = delete;

  /// Writes all bytes. Throws std::runtime_error that names the target and the system's reason.
  void write(std::string_view bytes);
  /// Gives the new file the access rights of the target, if the target exists.
  void keep_rights();
  /// Syncs the file to the disk and renames it to the target. Throws std::runtime_error that names the target
  /// and the system's reason. Call it once, as the last function.
  void take_place();
  /// Returns the identity of the new file. take_place() does not change the identity.
  FileIdentity identity() const { return identity_; }

 private:
  std::filesystem::path target_, name_;
  int descriptor_ = -1;
  bool in_place_ = false;
  FileIdentity identity_;
};

/// Returns the number of characters in the name (without its folder) of a new file for this target.
std::size_t fresh_name_length(std::filesystem::path const& target);

/// Removes the new files of this target that killed programs left behind. Call it only if no other program
/// can be writing the target.
void remove_abandoned(std::filesystem::path const& target) noexcept;

/// Returns the identity of the file that has this name now; all zero if there is none.
FileIdentity identity_of(std::filesystem::path const& path);

/// Throws std::runtime_error which says that `path` cannot be written, with the system's text for the error
/// number `reason`.
[[noreturn]] void fail_to_write(std::filesystem::path const& path, int reason);

}  // namespace ddproxy::results
