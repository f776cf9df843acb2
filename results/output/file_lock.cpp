// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/output/file_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "results/output/fresh_file.hpp"
#include "results/output/output_files.hpp"

namespace ddproxy::results {
namespace {

bool has_name(int descriptor, std::filesystem::path const& path) {
  struct stat own {};
  return fstat(descriptor, &own) == 0 && FileIdentity{own.st_dev, own.st_ino} == identity_of(path);
}

// Locks the file. Returns 0, or errno if it was not locked.
int lock(int descriptor) {
  while (flock(descriptor, LOCK_EX | LOCK_NB) != 0)
    if (errno != EINTR) return errno;
  return 0;
}

}  // namespace

FileLock::FileLock(std::filesystem::path const& target) : path_(target.string() + ".lock") {
  if (!take())
    throw std::invalid_argument(
        "cannot write " + target.string() +
        ": another program is writing it, perhaps an earlier run; wait until that program has "
        "ended, or give another results file (-o)");
}

FileLock::~FileLock() {
  release();
}

// Removes the name of the lock file before it releases the lock. Another program may already have opened the
// file, and gets the lock after this release. That program then detects with has_name() that the file has
// lost its name, and creates a new file of this name.
void FileLock::release() {
  if (descriptor_ < 0) return;
  if (has_name(descriptor_, path_)) unlink(path_.c_str());
  close(std::exchange(descriptor_, -1));
}

bool FileLock::take() {
  for (;;) {
    descriptor_ = open(path_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (descriptor_ < 0) fail_to_open(path_, errno);
    const int reason = lock(descriptor_);
    if (reason != 0 && reason != EWOULDBLOCK) no_locks_ = std::strerror(reason);
    if (reason != EWOULDBLOCK && has_name(descriptor_, path_)) return true;
    close(std::exchange(descriptor_, -1));
    if (reason == EWOULDBLOCK) return false;
  }
}

bool is_locked(std::filesystem::path const& target) {
  const std::string name = target.string() + ".lock";
  const int descriptor = open(name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool is_free = flock(descriptor, LOCK_SH | LOCK_NB) == 0 || errno != EWOULDBLOCK;
  close(descriptor);
  return !is_free;
}

bool FileLock::renew() {
  if (descriptor_ >= 0 && has_name(descriptor_, path_)) return true;
  release();
  return take();
}

}  // namespace ddproxy::results
