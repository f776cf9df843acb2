// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/gelu.hpp"

#include "kernels/exponential.hpp"

namespace ddproxy::kernels {
namespace {

constexpr float root_two_over_pi = 0.7978845608028654f;
constexpr float cubic = 0.044715f;

/// (1 + tanh u) / 2, which is the logistic function of 2u: one exponential instead of a tanh.
KOKKOS_INLINE_FUNCTION float gate(float x) {
  constexpr float no_overflow = 80;
  const float exponent = -2 * root_two_over_pi * (x + cubic * x * x * x);
  return 1 / (1 + exponential(exponent < no_overflow ? exponent : no_overflow));
}

}  // namespace

void gelu_forward(Space const& exec, Index count, float const* x, float* y) {
  Kokkos::parallel_for(
      "gelu_forward", Range(exec, 0, count), KOKKOS_LAMBDA(Index i) { y[i] = x[i] * gate(x[i]); });
}

void gelu_backward(Space const& exec, Index count, float const* x, float const* dy, float* dx) {
  Kokkos::parallel_for(
      "gelu_backward", Range(exec, 0, count), KOKKOS_LAMBDA(Index i) {
        const float g = gate(x[i]);
        const float du = root_two_over_pi * (1 + 3 * cubic * x[i] * x[i]);
        // with g = (1 + tanh u) / 2 the derivative of tanh is (1 - tanh^2 u) = 4 g (1 - g)
        dx[i] = dy[i] * (g + 2 * x[i] * g * (1 - g) * du);
      });
}

}  // namespace ddproxy::kernels
