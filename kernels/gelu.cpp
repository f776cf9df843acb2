// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/gelu.hpp"

#include "kernels/base/power_of_two.hpp"

namespace ddproxy::kernels {
namespace {

constexpr float root_two_over_pi = 0.7978845608028654f;
constexpr float cubic = 0.044715f;

/// Returns e^(-2u) with the u of gelu.hpp, but at most e^40. This is the only exponential that GELU needs,
/// because (1 + tanh u) / 2 = 1 / (1 + e^(-2u)).
KOKKOS_INLINE_FUNCTION float decay(float x) {
  // An x below -7.35 counts as -7.35. There the result is e^40, far from overflow, and GELU multiplies x by
  // e^-40 = 4e-18.
  constexpr float lowest = -7.35F;
  constexpr float linear = -2 * root_two_over_pi * log2_of_e;
  const float clipped = x > lowest ? x : lowest;
  return power_of_two(clipped * (linear + linear * cubic * clipped * clipped));
}

/// Returns the derivative of GELU at x.
KOKKOS_INLINE_FUNCTION float derivative(float x) {
  const float e = decay(x);
  const float g = 1 / (1 + e);
  const float du = root_two_over_pi * (1 + 3 * cubic * x * x);
  // With g = (1 + tanh u) / 2, the derivative of tanh is 1 - tanh^2 u = 4 g (1 - g). The product e g is
  // 1 - g, and it is accurate even if g is close to 1.
  return g + 2 * x * g * (e * g) * du;
}

/// The kernel of gelu_backward() on a device. A work item has four elements and loads all of them before it
/// stores one, because one load for each thread does not keep the memory busy.
struct BackwardOfFour {
  static constexpr int at_once = 4;

  Index count;
  float const* x;
  float const* dy;
  float* dx;
  Index items = (count + at_once - 1) / at_once;

  KOKKOS_FUNCTION void operator()(Index item) const {
    float in[at_once], d[at_once];
    for (int k = 0; k < at_once; ++k) {
      const Index i = item + k * items;
      in[k] = i < count ? x[i] : 0;
      d[k] = i < count ? dy[i] : 0;
    }
    for (int k = 0; k < at_once; ++k)
      if (item + k * items < count) dx[item + k * items] = d[k] * derivative(in[k]);
  }
};

}  // namespace

void gelu_forward(Space const& exec, Index count, float const* x, float* y) {
  Kokkos::parallel_for(
      "gelu_forward", Range(exec, 0, count), KOKKOS_LAMBDA(Index i) { y[i] = x[i] / (1 + decay(x[i])); });
}

void gelu_backward(Space const& exec, Index count, float const* x, float const* dy, float* dx) {
  const BackwardOfFour four{count, x, dy, dx};
  if (on_device) return Kokkos::parallel_for("gelu_backward", Range(exec, 0, four.items), four);
  Kokkos::parallel_for(
      "gelu_backward", Range(exec, 0, count), KOKKOS_LAMBDA(Index i) { dx[i] = dy[i] * derivative(x[i]); });
}

}  // namespace ddproxy::kernels
