// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ctest/fuzz/memory_file.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace ddproxy::fuzz {

std::filesystem::path memory_file(std::uint8_t const* bytes, std::size_t count) {
  static const int file = memfd_create("input", 0);
  if (ftruncate(file, 0) != 0 || pwrite(file, bytes, count, 0) != static_cast<ssize_t>(count)) std::abort();
  return "/proc/self/fd/" + std::to_string(file);
}

}  // namespace ddproxy::fuzz
