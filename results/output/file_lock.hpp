// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

namespace ddproxy::results {

/// The right of one program to write a results file: a lock (flock) on the empty file TARGET.lock. The lock
/// lies on a file of its own because TARGET.part is replaced with every flush. The system gives the lock back
/// when the process ends in whatever way, so the TARGET.lock of a killed run is never in the way. Linux
/// passes flock on to an NFS server, so that it holds between machines, too.
class FileLock {
 public:
  /// Throws std::invalid_argument where another program has the lock or the file cannot be made, and
  /// std::runtime_error where the disk is full. A file system without locks is no error.
  explicit FileLock(std::filesystem::path const& target);
  ~FileLock();  ///< removes TARGET.lock and gives the lock back
  FileLock(FileLock const&) = delete;
  FileLock& operator=(FileLock const&) = delete;

  /// Whether TARGET.lock still leads to the locked file. Where somebody removed the name, takes it again;
  /// false where another program was faster.
  bool renew();
  /// Why the file system has no locks, in the system's words; empty where it has.
  std::string const& no_locks() const { return no_locks_; }

 private:
  bool take();
  void release();

  std::filesystem::path path_;
  int descriptor_ = -1;
  std::string no_locks_;
};

}  // namespace ddproxy::results
