// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/compute/kernel_lane.hpp"

namespace ddproxy {
namespace {

// Copies `count` elements from `from` to `to`.
void copy_elements(kernels::Space const& exec, float const* from, float* to, std::size_t count) {
  Kokkos::parallel_for(
      "ddproxy::copy", kernels::Range(exec, 0, static_cast<kernels::Index>(count)),
      KOKKOS_LAMBDA(kernels::Index i) { to[i] = from[i]; });
}

}  // namespace

void KernelLane::copy(Slice from, std::size_t to) {
  if (from.offset != to) copy_elements(exec_, memory_.data() + from.offset, memory_.data() + to, from.count);
  marks_.move_on();
}

}  // namespace ddproxy
