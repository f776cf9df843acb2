// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <limits>
#include <system_error>

namespace ddproxy {

/// Returns the resident memory of this process in bytes, without the pages of files (programs and libraries)
/// and of shared memory.
inline double resident_bytes() {
  double pages = 0, resident = 0, shared = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident >> shared;
  return (resident - shared) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

/// The pages of the operating system that lie wholly in a range of floats.
struct Pages {
  float* first = nullptr;
  std::size_t count = 0;  ///< floats

  /// Assigns NaN to all elements of the range, so its pages become resident.
  void fill() const { std::fill_n(first, count, std::numeric_limits<float>::quiet_NaN()); }

  /// Gives the pages back to the operating system. Their elements become 0. Throws std::system_error if
  /// madvise() fails.
  void release() const {
    const auto size = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const auto begin = (reinterpret_cast<std::uintptr_t>(first) + size - 1) / size * size;
    const auto end = reinterpret_cast<std::uintptr_t>(first + count) / size * size;
    if (end > begin && madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED) != 0)
      throw std::system_error(errno, std::generic_category(), "madvise");
  }
};

}  // namespace ddproxy
