// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/machine/freed_memory.hpp"

#include <cstdlib>
#include <string_view>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace ddproxy {
namespace {

bool set_by_user(std::function<char const*(char const*)> const& variable) {
  for (char const* name :
       {"MALLOC_MMAP_THRESHOLD_", "MALLOC_MMAP_MAX_", "MALLOC_TRIM_THRESHOLD_", "MALLOC_TOP_PAD_"})
    if (variable(name)) return true;
  char const* const tunables = variable("GLIBC_TUNABLES");
  return tunables && std::string_view(tunables).find("glibc.malloc.") != std::string_view::npos;
}

}  // namespace

bool keep_freed_memory(std::function<char const*(char const*)> const& variable) {
  if (set_by_user(variable)) return false;
#ifdef __GLIBC__
  constexpr int mib = 1 << 20;
  return mallopt(M_MMAP_THRESHOLD, 32 * mib) == 1 && mallopt(M_TRIM_THRESHOLD, 64 * mib) == 1;
#else
  return false;
#endif
}

}  // namespace ddproxy
