// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "kernels/types.hpp"

namespace ddproxy {

/// Hands out consecutive arrays of one allocation. Without memory it only counts, so that the need can be
/// told before anything is allocated, by the same code that then takes the arrays.
class BumpAllocator {
 public:
  BumpAllocator() = default;

  /// Allocates `count` elements, their values undefined.
  BumpAllocator(std::string const& label, kernels::Index count)
      : memory_(Kokkos::view_alloc(label, Kokkos::WithoutInitializing), static_cast<std::size_t>(count)) {}

  /// `count` elements that start on a cache line; a null pointer where the slab only counts.
  float* take(kernels::Index count) {
    constexpr kernels::Index line = 16;  // elements in 64 bytes
    float* const array = memory_.data() == nullptr ? nullptr : memory_.data() + used_;
    used_ += (count + line - 1) / line * line;
    return array;
  }

  kernels::Index used() const { return used_; }  ///< elements

 private:
  kernels::Floats memory_;
  kernels::Index used_ = 0;
};

}  // namespace ddproxy
