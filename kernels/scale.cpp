// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/scale.hpp"

namespace ddproxy::kernels {

void scale(Space const& exec, Index count, float const* factor, float* x) {
  Kokkos::parallel_for(
      "scale", Range(exec, 0, count), KOKKOS_LAMBDA(Index i) { x[i] *= *factor; });
}

}  // namespace ddproxy::kernels
