// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "kernels/types.hpp"
#include "miniapp/input/kernel_memory.hpp"

namespace ddproxy {

/// Places the buffers of a list one after another in one allocation. Each buffer begins on a cache line. The
/// allocator owns the memory, so the pointers that it returns are valid for as long as it lives.
class BumpAllocator {
 public:
  /// Allocates padded_elements(buffers) elements (kernel_memory.hpp). Their values are undefined.
  BumpAllocator(std::string const& label, std::vector<KernelBuffer> const& buffers)
      : memory_(Kokkos::view_alloc(label, Kokkos::WithoutInitializing),
                static_cast<std::size_t>(padded_elements(buffers))) {
    float* next = memory_.data();
    for (auto const& buffer : buffers) {
      arrays_[buffer.name] = next;
      next += padded_elements(buffer);
    }
  }

  /// Returns a pointer to the first element of the buffer `name`. Throws std::out_of_range if the list has no
  /// buffer of this name.
  float* operator[](std::string const& name) const { return arrays_.at(name); }

 private:
  kernels::Floats memory_;
  std::unordered_map<std::string, float*> arrays_;
};

}  // namespace ddproxy
