// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/claim.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <string>
#include <utility>

#include "results/output_files.hpp"

namespace ddproxy::results {
namespace {

[[noreturn]] void fail_as_taken(std::filesystem::path const& path) {
  throw std::invalid_argument(
      "cannot write " + path.string() +
      ": it is already open in another program, perhaps a run that is still going; let "
      "that end, or give another results file (-o)");
}

}  // namespace

Claim::Claim(Claim&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

Claim& Claim::operator=(Claim&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

Claim::~Claim() {
  if (descriptor_ >= 0) close(descriptor_);
}

// Where the file system knows no locks, HDF5 says so itself, or was told to do without.
bool Claim::lock() const {
  return flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

bool Claim::is_of(std::filesystem::path const& path) const {
  struct stat own {
  }, there{};
  return fstat(descriptor_, &own) == 0 && stat(path.c_str(), &there) == 0 && own.st_dev == there.st_dev &&
         own.st_ino == there.st_ino;
}

Claim claim_leftover(std::filesystem::path const& path) {
  for (;;) {
    const int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor < 0) fail_to_open(path, errno);
    Claim claim(descriptor);
    if (!claim.lock()) fail_as_taken(path);
    if (!claim.is_of(path)) continue;  // since it was opened, its writer has finished or replaced it
    if (unlink(path.c_str()) != 0) fail_to_open(path, errno);
    return claim;
  }
}

// A second descriptor of the same opened file: what locks the one locks the other, until both are closed.
Claim claim_open_file(int descriptor, std::filesystem::path const& path) {
  Claim claim(fcntl(descriptor, F_DUPFD_CLOEXEC, 0));
  if (!claim.lock() || !claim.is_of(path)) fail_as_taken(path);
  return claim;
}

}  // namespace ddproxy::results
