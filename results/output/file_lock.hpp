// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

namespace ddproxy::results {

/// Gives one program the exclusive right to write a results file. It locks the empty file TARGET.lock with
/// flock(). TARGET.part, the unfinished results file, cannot hold the lock, because each flush replaces it by
/// a new file. The system releases the lock when the process ends in any way, so a TARGET.lock that a killed
/// run left behind does no harm. Linux forwards flock() to an NFS server, so the lock also works between
/// machines.
class FileLock {
 public:
  /// Takes the lock. Throws std::invalid_argument if another program has it, or if TARGET.lock cannot be
  /// created. Throws std::runtime_error if the disk is full. Throws nothing if the file system has no locks;
  /// no_locks() then returns the reason.
  explicit FileLock(std::filesystem::path const& target);
  ~FileLock();  ///< removes TARGET.lock and releases the lock
  FileLock(FileLock const&) = delete;
  FileLock& operator=(FileLock const&) = delete;

  /// Makes sure that this program has the lock: if TARGET.lock was deleted or replaced, takes the lock again.
  /// Returns false if another program has taken the lock meanwhile. Otherwise returns true. Throws what the
  /// constructor throws if TARGET.lock cannot be created.
  bool renew();
  /// Returns the system's reason why the file system has no locks; empty if it has locks.
  std::string const& no_locks() const { return no_locks_; }

 private:
  bool take();
  void release();

  std::filesystem::path path_;
  int descriptor_ = -1;
  std::string no_locks_;
};

/// Returns whether a program holds the lock of `target` now. Returns false if the file system has no locks.
bool is_locked(std::filesystem::path const& target);

}  // namespace ddproxy::results
