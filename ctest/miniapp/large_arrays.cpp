// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ctest/miniapp/large_arrays.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace ddproxy {
namespace {

std::atomic<bool> counting = false;
std::atomic<std::size_t> counted = 0;

}  // namespace

void count_large_arrays() {
  counted = 0;
  counting = true;
}

std::size_t counted_large_arrays() {
  counting = false;
  return counted;
}

}  // namespace ddproxy

void* operator new[](std::size_t bytes) {
  void* const memory = std::malloc(bytes);
  if (!memory) throw std::bad_alloc();
  if (ddproxy::counting && bytes >= ddproxy::large_array_bytes) ddproxy::counted += bytes;
  return memory;
}

void operator delete[](void* memory) noexcept {
  std::free(memory);
}

void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}
