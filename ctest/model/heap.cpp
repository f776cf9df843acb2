// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "heap.hpp"

#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace {
std::size_t in_use = 0, peak = 0;
}

// operator new[] and operator delete[] call these operators.
void* operator new(std::size_t size) {
  void* memory = std::malloc(std::max<std::size_t>(size, 1));
  if (!memory) throw std::bad_alloc();
  in_use += malloc_usable_size(memory);
  peak = std::max(peak, in_use);
  return memory;
}

// AddressSanitizer has an operator of its own for std::nothrow, which does not call the one above.
void* operator new(std::size_t size, std::nothrow_t const&) noexcept try {
  return operator new(size);
} catch (std::bad_alloc const&) {
  return nullptr;
}

void operator delete(void* memory) noexcept {
  if (memory) in_use -= malloc_usable_size(memory);
  std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept {
  operator delete(memory);
}

std::size_t ddproxy::heap_peak(std::function<void()> const& run) {
  const std::size_t before = peak = in_use;
  run();
  return peak - before;
}
