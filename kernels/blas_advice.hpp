// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace ddproxy::kernels {

/// What matters of a processor to the choice of OpenBLAS' kernels.
struct VectorUnits {
  bool avx512 = false;
  bool halves = false;  ///< 256 bits wide: an AVX-512 instruction takes two turns (Zen 4)
};

/// The value of OPENBLAS_CORETYPE that was measured to be faster on such a processor than the core type that
/// OpenBLAS chose (docs/measurements/kernels.md); else empty.
inline std::string faster_core_type(std::string const& core, VectorUnits units) {
  const bool uses_avx512 = core == "SkylakeX" || core == "Cooperlake" || core == "SapphireRapids";
  if (units.avx512 && !units.halves && !uses_avx512) return "SKYLAKEX";
  if (units.halves && uses_avx512) return "HASWELL";
  return {};
}

/// One line for the user where faster_core_type() knows one, with the cure; else empty.
inline std::string openblas_advice(std::string const& core, VectorUnits units) {
  const auto faster = faster_core_type(core, units);
  if (faster == "SKYLAKEX")
    return "OpenBLAS chose the core type " + core +
           ", but this processor has AVX-512: OPENBLAS_CORETYPE=SKYLAKEX may be up to twice as fast";
  if (faster == "HASWELL")
    return "OpenBLAS chose the core type " + core +
           ", but AVX-512 is 256 bits wide here: OPENBLAS_CORETYPE=HASWELL was 5 % faster on Zen 4, and up "
           "to a half with few tokens";
  return {};
}

}  // namespace ddproxy::kernels
