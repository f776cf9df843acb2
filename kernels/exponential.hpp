// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/types.hpp"

namespace ddproxy::kernels {

/// e^x for x up to 88, to a few units in the last place; below -60 that of -60, which is 8.8e-27: nothing
/// beside 1, and far enough from the subnormal numbers, which are slow. In so few instructions that GELU is
/// limited by memory rather than by them, and in vectors with every compiler, which the libraries'
/// exponentials are not.
KOKKOS_INLINE_FUNCTION float exponential(float x) {
  constexpr float smallest = -60;
  constexpr float log2_of_e = 1.44269504F;
  const float clipped = x > smallest ? x : smallest;
  // e^x = 2^n e^r with |r| <= ln(2)/2; ln(2) in two parts, whose first product with n is exact (Cody and
  // Waite, 1980)
  const float n = Kokkos::floor(Kokkos::fma(clipped, log2_of_e, 0.5F));
  const float r = Kokkos::fma(n, 2.12194440e-4F, Kokkos::fma(n, -0.693359375F, clipped));
  // the polynomial of degree 5 with the least relative error there (Remez' exchange: 7.5e-8), scaled so that
  // e^0 is 1
  float series = Kokkos::fma(r, 8.29765480e-3F, 4.19153795e-2F);
  series = Kokkos::fma(r, series, 1.66675732e-1F);
  series = Kokkos::fma(r, series, 4.99988914e-1F);
  series = Kokkos::fma(r, series, 9.99999642e-1F);
  series = Kokkos::fma(r, series, 1.0F);
  // times 2^n: n more in the exponent's bits
  return Kokkos::bit_cast<float>(Kokkos::bit_cast<unsigned>(series) +
                                 (static_cast<unsigned>(static_cast<int>(n)) << 23));
}

}  // namespace ddproxy::kernels
