// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/output/fresh_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>

#include "results/output/output_files.hpp"

namespace ddproxy::results {
namespace {

using Path = std::filesystem::path;

constexpr std::size_t digits = 16;
constexpr char const* ending = ".tmp";

std::string start_of_names(Path const& target) {
  std::string name(1, '.');
  name += target.filename().string();
  name += '.';
  return name;
}

// Returns true if the name has the form of a fresh file: start, random_digits(), ending.
bool is_fresh_name(std::string const& name, std::string const& start) {
  if (name.size() != start.size() + digits + std::strlen(ending)) return false;
  const auto hexadecimal = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return name.starts_with(start) && name.ends_with(ending) &&
         std::all_of(name.begin() + static_cast<std::ptrdiff_t>(start.size()),
                     name.end() - static_cast<std::ptrdiff_t>(std::strlen(ending)), hexadecimal);
}

FileIdentity identity_from(struct stat const& status) {
  return {status.st_dev, status.st_ino};
}

}  // namespace

std::string random_digits() {
  std::random_device random;
  const std::uint64_t number = std::uint64_t{random()} << 32 | random();
  char text[digits + 1];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(number));
  return text;
}

FreshFile::FreshFile(Path target) : target_(std::move(target)) {
  do {
    name_ = target_;
    name_.replace_filename(start_of_names(target_) + random_digits() + ending);
    descriptor_ = open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  } while (descriptor_ < 0 && (errno == EEXIST || errno == EINTR));
  if (descriptor_ < 0) fail_to_open(target_, errno);
  struct stat status {};
  if (fstat(descriptor_, &status) == 0) identity_ = identity_from(status);
}

FreshFile::~FreshFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!in_place_) unlink(name_.c_str());
}

void FreshFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written >= 0)
      bytes.remove_prefix(static_cast<std::size_t>(written));
    else if (errno != EINTR)
      fail_to_write(target_, errno);
  }
}

void FreshFile::keep_rights() {
  struct stat before {};
  if (stat(target_.c_str(), &before) == 0) static_cast<void>(fchmod(descriptor_, before.st_mode & 07777));
}

// Syncs and renames the file. Some file systems cannot sync (EINVAL). Some report only in close() that they
// are full.
void FreshFile::take_place() {
  if (fsync(descriptor_) != 0 && errno != EINVAL) fail_to_write(target_, errno);
  if (close(std::exchange(descriptor_, -1)) != 0) fail_to_write(target_, errno);
  if (std::rename(name_.c_str(), target_.c_str()) != 0) fail_to_write(target_, errno);
  in_place_ = true;
}

std::size_t fresh_name_length(Path const& target) {
  return start_of_names(target).size() + digits + std::strlen(ending);
}

void remove_abandoned(Path const& target) noexcept try {
  const auto start = start_of_names(target);
  const auto folder = target.has_parent_path() ? target.parent_path() : Path(".");
  for (auto const& entry : std::filesystem::directory_iterator(folder))
    if (is_fresh_name(entry.path().filename().string(), start)) unlink(entry.path().c_str());
} catch (...) {  // in a folder that cannot be listed the files stay
}

FileIdentity identity_of(Path const& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0 ? identity_from(status) : FileIdentity{};
}

void fail_to_write(Path const& path, int reason) {
  throw std::runtime_error("cannot write " + path.string() + ": " + std::strerror(reason));
}

}  // namespace ddproxy::results
