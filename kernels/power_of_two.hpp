// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/types.hpp"

namespace ddproxy::kernels {

/// e^x = 2^(log2_of_e x); the factor costs nothing where x is a multiple of something already.
inline constexpr float log2_of_e = 1.44269504F;

/// 2^x by arithmetic alone, for power_of_two() on a host.
KOKKOS_INLINE_FUNCTION float power_of_two_by_series(float x) {
  constexpr float smallest = -86;
  const float clipped = x > smallest ? x : smallest;
  const float n = Kokkos::nearbyint(clipped);
  const float r = clipped - n;  // exact, and |r| <= 1/2
  // the polynomial of degree 5 with the least relative error there (Remez' exchange: 7.5e-8), scaled so that
  // 2^0 is 1
  float series = Kokkos::fma(r, 1.32764715e-3F, 9.67554076e-3F);
  series = Kokkos::fma(r, series, 5.55071276e-2F);
  series = Kokkos::fma(r, series, 2.40221181e-1F);
  series = Kokkos::fma(r, series, 6.93146932e-1F);
  series = Kokkos::fma(r, series, 1.0F);
  // times 2^n: n more in the exponent's bits
  return Kokkos::bit_cast<float>(Kokkos::bit_cast<unsigned>(series) +
                                 (static_cast<unsigned>(static_cast<int>(n)) << 23));
}

/// 2^x for x up to 127, to a few units in the last place; below -86 that of -86 or less, which is 1.3e-26:
/// nothing beside 1. On a host it is far from the subnormal numbers, which are slow there, in so few
/// instructions that GELU and the loss are limited by memory rather than by them, and in vectors with every
/// compiler that may use FMA, which the libraries' exponentials are not. A GPU has an instruction for it.
KOKKOS_INLINE_FUNCTION float power_of_two(float x) {
  KOKKOS_IF_ON_DEVICE((return Kokkos::exp2(x);))
  KOKKOS_IF_ON_HOST((return power_of_two_by_series(x);))
}

}  // namespace ddproxy::kernels
