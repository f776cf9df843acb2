// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/base/types.hpp"

namespace ddproxy::kernels {

/// The logarithm of e to the base 2: e^x = 2^(log2_of_e x). If x has a constant factor, log2_of_e can be
/// merged into this factor and costs nothing.
inline constexpr float log2_of_e = 1.44269504F;

/// Returns 2^x, computed from additions and multiplications only. On hosts power_of_two() uses this function.
KOKKOS_INLINE_FUNCTION float power_of_two_by_series(float x) {
  constexpr float smallest = -86;
  const float clipped = x > smallest ? x : smallest;
  const float n = Kokkos::nearbyint(clipped);
  const float r = clipped - n;  // exact, and |r| <= 1/2
  // The polynomial of degree 5 with the least relative error for |r| <= 1/2 (7.5e-8, found by the Remez
  // exchange algorithm), scaled so that 2^0 is exactly 1. The scaled polynomial has an error of up to 1.6e-7.
  float series = Kokkos::fma(r, 1.32764715e-3F, 9.67554076e-3F);
  series = Kokkos::fma(r, series, 5.55071276e-2F);
  series = Kokkos::fma(r, series, 2.40221181e-1F);
  series = Kokkos::fma(r, series, 6.93146932e-1F);
  series = Kokkos::fma(r, series, 1.0F);
  // Multiplies by 2^n: adds n to the exponent bits.
  return Kokkos::bit_cast<float>(Kokkos::bit_cast<unsigned>(series) +
                                 (static_cast<unsigned>(static_cast<int>(n)) << 23));
}

/// Returns 2^x for x up to 127, accurate to a few units in the last place. For x below -86 the result is at
/// most 2^-86 = 1.3e-26, which is negligible beside 1. On a host the result is then exactly 2^-86. That keeps
/// it far from subnormal numbers, which are slow on a host. The host version takes so few instructions that
/// memory, not arithmetic, limits GELU and the loss. Every compiler that may use FMA vectorizes it; the
/// exponentials of the standard libraries are not vectorized everywhere. A GPU has an instruction for 2^x.
KOKKOS_INLINE_FUNCTION float power_of_two(float x) {
  KOKKOS_IF_ON_DEVICE((return Kokkos::exp2(x);))
  KOKKOS_IF_ON_HOST((return power_of_two_by_series(x);))
}

}  // namespace ddproxy::kernels
