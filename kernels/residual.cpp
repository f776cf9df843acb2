// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/residual.hpp"

#include <string>

namespace ddproxy::kernels {

void residual_forward(Space const& exec, Index count, float const* x, float const* branch, float* out) {
  static const std::string label = "residual_forward";
  Kokkos::parallel_for(
      label, Range(exec, 0, count), KOKKOS_LAMBDA(Index i) { out[i] = x[i] + branch[i]; });
}

void residual_backward(Space const& exec, Index count, float const* dout, float* dx) {
  static const std::string label = "residual_backward";
  Kokkos::parallel_for(
      label, Range(exec, 0, count), KOKKOS_LAMBDA(Index i) { dx[i] += dout[i]; });
}

void fill_zero(Space const& exec, Index count, float* x) {
  Kokkos::parallel_for(
      "fill_zero", Range(exec, 0, count), KOKKOS_LAMBDA(Index i) { x[i] = 0; });
}

}  // namespace ddproxy::kernels
