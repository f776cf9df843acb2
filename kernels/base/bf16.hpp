// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace ddproxy {

/// A bf16 number: the upper 16 bits of a float. It has 8 bits of significand and the exponents of a float.
using Bf16 = std::uint16_t;

/// Rounds a float to the nearest bf16, ties to even. NaN stays NaN.
KOKKOS_INLINE_FUNCTION Bf16 to_bf16(float value) {
  const auto bits = Kokkos::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = bits + 0x7FFF + (bits >> 16 & 1);
  const bool is_nan = (bits & 0x7FFFFFFF) > 0x7F800000;
  return static_cast<Bf16>((is_nan ? bits | 0x400000 : rounded) >> 16);
}

/// Returns the value as a float, exactly.
KOKKOS_INLINE_FUNCTION float from_bf16(Bf16 value) {
  return Kokkos::bit_cast<float>(static_cast<std::uint32_t>(value) << 16);
}

/// Rounds two floats as to_bf16() does. Returns `first` in the lower 16 bits and `second` in the upper ones.
/// An NVIDIA GPU of compute capability 8.0 or later rounds both with one instruction.
KOKKOS_INLINE_FUNCTION std::uint32_t to_two_bf16(float first, float second) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  std::uint32_t both;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(second), "f"(first));
  return both;
#else
  return to_bf16(first) | static_cast<std::uint32_t>(to_bf16(second)) << 16;
#endif
}

/// Four neighbouring bf16 numbers, which a device writes with one instruction. Each member holds two of them,
/// as to_two_bf16() returns them.
struct alignas(8) FourBf16 {
  std::uint32_t first, second;
};

/// Rounds the four floats at `from` as to_bf16() does.
KOKKOS_INLINE_FUNCTION FourBf16 to_four_bf16(float const* from) {
  return {to_two_bf16(from[0], from[1]), to_two_bf16(from[2], from[3])};
}

}  // namespace ddproxy
