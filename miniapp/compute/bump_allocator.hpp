// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/base/types.hpp"
#include "miniapp/input/kernel_memory.hpp"

namespace ddproxy {

/// Places the buffers of a list one after another in one allocation. Each buffer begins on a cache line. The
/// values of the enum `Buffer` are indices into the list. The allocator owns the memory, so the pointers that
/// it returns are valid for as long as it lives.
template <class Buffer>
class BumpAllocator {
 public:
  /// Takes the number of elements of each buffer. Allocates padded_elements(buffers) elements
  /// (kernel_memory.hpp) under the name `label`. Their values are undefined.
  BumpAllocator(std::string const& label, std::vector<std::int64_t> const& buffers)
      : memory_(Kokkos::view_alloc(label, Kokkos::WithoutInitializing),
                static_cast<std::size_t>(padded_elements(buffers))) {
    float* next = memory_.data();
    for (const std::int64_t elements : buffers) {
      arrays_.push_back(next);
      next += padded_elements(elements);
    }
  }

  /// Returns a pointer to the first element of a buffer. Throws std::out_of_range if the list lacks it.
  float* operator[](Buffer buffer) const { return arrays_.at(static_cast<std::size_t>(buffer)); }

 private:
  kernels::Floats memory_;
  std::vector<float*> arrays_;
};

}  // namespace ddproxy
