// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/output/output_files.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>

namespace ddproxy::results {

bool is_same_file(std::filesystem::path const& a, std::filesystem::path const& b) {
  std::error_code absent;
  if (std::filesystem::equivalent(a, b, absent)) return true;
  // absolute() comes first, because weakly_canonical() of a relative path that does not exist can be empty.
  const auto whole = [](std::filesystem::path const& path) {
    std::error_code pipe;  // ignored: /dev/stdout may lead to a pipe, which has no path
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path), pipe);
  };
  return !whole(a).empty() && whole(a) == whole(b);
}

bool is_reserved(std::filesystem::path const& path) {
  const auto ending = path.extension().string();
  if (ending == ".part" || ending == ".lock") return true;
  const bool numbered = ending.size() > 1 && ending.find_first_not_of("0123456789", 1) == std::string::npos;
  return numbered && path.stem().extension() == ".part";
}

void fail_to_open(std::filesystem::path const& path, int reason) {
  const std::string text = "cannot write " + path.string() + ": " + std::strerror(reason);
  if (reason == ENOSPC || reason == EDQUOT || reason == EIO || reason == EFBIG)
    throw std::runtime_error(text);
  throw std::invalid_argument(text);
}

void check_writable(std::filesystem::path const& path) {
  std::error_code absent;
  const auto before = std::filesystem::status(path, absent).type();
  using Type = std::filesystem::file_type;
  // A pipe is not opened: closing it again would send its reader an end of file.
  if (before == Type::fifo || before == Type::character) return;
  errno = 0;
  if (!std::ofstream(path, std::ios::app)) fail_to_open(path, errno);
  if (before == Type::not_found) std::filesystem::remove(path);
}

}  // namespace ddproxy::results
