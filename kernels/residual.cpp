// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/residual.hpp"

namespace ddproxy::kernels {

void residual_forward(Space const& exec, Index count, float const* x, float const* branch, float* out) {
  Kokkos::parallel_for(
      "residual_forward", Range(exec, 0, count), KOKKOS_LAMBDA(Index i) { out[i] = x[i] + branch[i]; });
}

void residual_backward(Space const& exec, Index count, float const* dout, float* dx) {
  Kokkos::parallel_for(
      "residual_backward", Range(exec, 0, count), KOKKOS_LAMBDA(Index i) { dx[i] += dout[i]; });
}

void fill_zero(Space const& exec, Index count, float* x) {
  Kokkos::parallel_for(
      "fill_zero", Range(exec, 0, count), KOKKOS_LAMBDA(Index i) { x[i] = 0; });
}

}  // namespace ddproxy::kernels
