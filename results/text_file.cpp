// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/text_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string_view>

#include "results/output_files.hpp"

namespace ddproxy::results {
namespace {

using Path = std::filesystem::path;

[[noreturn]] void fail(Path const& path, int reason) {
  throw std::runtime_error("cannot write " + path.string() + ": " + std::strerror(reason));
}

// 0, or errno. Some file systems notice only at the end that they are full.
int write_and_close(int file, std::string_view text) {
  int reason = 0;
  while (!text.empty() && reason == 0) {
    const auto written = write(file, text.data(), text.size());
    if (written >= 0)
      text.remove_prefix(static_cast<std::size_t>(written));
    else if (errno != EINTR)
      reason = errno;
  }
  if (close(file) != 0 && reason == 0) reason = errno;
  return reason;
}

void write_in_place(Path const& path, std::string const& text) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) fail_to_open(path, errno);
  if (const int reason = write_and_close(file, text)) fail(path, reason);
}

// The rights of the file that it replaces, which need not be there.
void keep_rights(int file, Path const& path) {
  struct stat before {};
  if (stat(path.c_str(), &before) == 0) static_cast<void>(fchmod(file, before.st_mode & 07777));
}

}  // namespace

void write_text(Path const& path, std::string const& text) {
  std::error_code absent;
  if (std::filesystem::exists(path, absent) && !std::filesystem::is_regular_file(path, absent))
    return write_in_place(path, text);
  const bool is_link = std::filesystem::is_symlink(path, absent);
  const Path target = is_link ? std::filesystem::weakly_canonical(path) : path;
  const Path part = target.string() + ".part" + std::to_string(getpid());
  const int file = open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0 && errno == EACCES) return write_in_place(target, text);  // its folder takes no further file
  if (file < 0) fail_to_open(path, errno);
  keep_rights(file, target);
  int reason = write_and_close(file, text);
  if (reason == 0 && std::rename(part.c_str(), target.c_str()) != 0) reason = errno;
  if (reason == 0) return;
  unlink(part.c_str());
  fail(path, reason);
}

}  // namespace ddproxy::results
