// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/swiglu.hpp"

#include "kernels/base/power_of_two.hpp"

namespace ddproxy::kernels {
namespace {

/// Returns e^(-x), but at most e^60.
KOKKOS_INLINE_FUNCTION float decay(float x) {
  // An x below -60 counts as -60. There the result is e^60 = 1e26, far from overflow, and silu multiplies x
  // by e^-60.
  constexpr float lowest = -60;
  return power_of_two(-log2_of_e * (x > lowest ? x : lowest));
}

}  // namespace

void swiglu_forward(Space const& exec, Index count, float const* gate, float const* up, float* y) {
  Kokkos::parallel_for(
      "swiglu_forward", Range(exec, 0, count),
      KOKKOS_LAMBDA(Index i) { y[i] = gate[i] * up[i] / (1 + decay(gate[i])); });
}

void swiglu_backward(Space const& exec, Index count, float const* gate, float const* up, float const* dy,
                     SwigluGradients out) {
  float* const dgate = out.gate;
  float* const dup = out.up;
  Kokkos::parallel_for(
      "swiglu_backward", Range(exec, 0, count), KOKKOS_LAMBDA(Index i) {
        // All inputs are read before the first store: an output may be the array of an input.
        const float x = gate[i], u = up[i], d = dy[i];
        const float e = decay(x);
        const float s = 1 / (1 + e);
        // The product e s is 1 - s, and it is accurate even if s is close to 1.
        dgate[i] = d * u * s * (1 + x * (e * s));
        dup[i] = d * x * s;
      });
}

}  // namespace ddproxy::kernels
