// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/output/durable.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

namespace ddproxy::results {
namespace {

std::filesystem::path folder_of(std::filesystem::path const& path) {
  return path.has_parent_path() ? path.parent_path() : ".";
}

void sync(std::filesystem::path const& path) {
  const int file = open(path.c_str(), O_RDONLY);
  const bool failed = file < 0 || fsync(file) != 0;
  const int reason = failed ? errno : 0;
  if (file >= 0) close(file);
  const bool unsupported = reason == EINVAL;  // some file systems cannot sync a folder
  if (failed && !unsupported)
    throw std::runtime_error("cannot sync " + path.string() + " to the disk: " + std::strerror(reason));
}

}  // namespace

void check_target(std::filesystem::path const& path) {
  std::error_code unknown;  // set for instance for a cycle of links
  const auto there = std::filesystem::status(path, unknown);
  if (there.type() == std::filesystem::file_type::none)
    throw std::invalid_argument("cannot write " + path.string() + ": " + unknown.message());
  if (std::filesystem::is_directory(there))
    throw std::invalid_argument("cannot write " + path.string() +
                                ": it is a folder; give the name of a file");
  if (std::filesystem::exists(there) && !std::filesystem::is_regular_file(there))
    throw std::invalid_argument(
        "cannot write " + path.string() +
        ": it is not a regular file, and a regular file would replace it; give another name");
  if (!std::filesystem::is_directory(folder_of(path)))
    throw std::invalid_argument("cannot write " + path.string() + ": there is no folder " +
                                folder_of(path).string() + "; create it, or give another name");
}

void rename_durably(std::filesystem::path const& part, std::filesystem::path const& path) {
  sync(part);
  std::error_code failed;
  std::filesystem::rename(part, path, failed);
  if (failed)
    throw std::runtime_error("cannot rename " + part.string() + " to " + path.string() + ": " +
                             failed.message());
  sync(folder_of(path));
}

}  // namespace ddproxy::results
