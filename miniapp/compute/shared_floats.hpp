// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace ddproxy {

/// An array of floats in the memory of the kernels: memory of the device in a build for a device, otherwise
/// memory of the host. Copies of this object share the array; the last one frees it. Files that only pass the
/// array on need no Kokkos; kernels::view_of() (kernels/base/types.hpp) makes a view for Kokkos.
class SharedFloats {
 public:
  /// Makes an empty array.
  SharedFloats() = default;
  /// Allocates `elements` floats under the name `label`, which Kokkos' tools show. The threads that compute
  /// assign 0 to every element. So these threads are the first to touch each page, and no collective reduces
  /// undefined values. Throws std::runtime_error if the memory does not suffice.
  SharedFloats(std::string const& label, std::size_t elements);

  /// Returns the elements. They are valid as long as a copy of this object exists.
  std::span<float> elements() const { return {data_.get(), count_}; }

 private:
  std::shared_ptr<float> data_;
  std::size_t count_ = 0;
};

}  // namespace ddproxy
