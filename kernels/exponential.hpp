// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/types.hpp"

namespace ddproxy::kernels {

/// e^x for x up to 88, to a few units in the last place; 0 below -87. In so few instructions that GELU is
/// limited by memory and not by them, and in vectors with every compiler, which the libraries' exponentials
/// are not.
KOKKOS_INLINE_FUNCTION float exponential(float x) {
  constexpr float smallest = -87;
  constexpr float log2_of_e = 1.44269504F;
  const float clipped = x > smallest ? x : smallest;
  // e^x = 2^n e^r with |r| <= ln(2)/2; ln(2) in two parts, whose first product with n is exact (Cody and
  // Waite, 1980)
  const float n = Kokkos::floor(clipped * log2_of_e + 0.5F);
  const float r = Kokkos::fma(n, 2.12194440e-4F, Kokkos::fma(n, -0.693359375F, clipped));
  // the series up to r^6: the rest is below a unit in the last place
  float series = Kokkos::fma(r, 1.38888889e-3F, 8.33333333e-3F);
  series = Kokkos::fma(r, series, 4.16666667e-2F);
  series = Kokkos::fma(r, series, 1.66666667e-1F);
  series = Kokkos::fma(r, series, 0.5F);
  series = Kokkos::fma(r, series, 1.0F);
  series = Kokkos::fma(r, series, 1.0F);
  const float power = Kokkos::bit_cast<float>((static_cast<int>(n) + 127) << 23);
  return x > smallest ? series * power : 0.0F;
}

}  // namespace ddproxy::kernels
