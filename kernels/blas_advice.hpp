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

/// One line for the user where OpenBLAS' core type is one that was measured to be slow on such a processor
/// (docs/measurements/kernels.md), with the cure; else empty.
inline std::string openblas_advice(std::string const& core, VectorUnits units) {
  const bool uses_avx512 = core == "SkylakeX" || core == "Cooperlake" || core == "SapphireRapids";
  if (units.avx512 && !units.halves && !uses_avx512)
    return "OpenBLAS chose the core type " + core +
           ", but this processor has AVX-512: OPENBLAS_CORETYPE=SKYLAKEX may be up to twice as fast";
  if (units.halves && uses_avx512)
    return "OpenBLAS chose the core type " + core +
           ", but AVX-512 is 256 bits wide here: OPENBLAS_CORETYPE=HASWELL was 5 % faster on Zen 4, and up "
           "to a "
           "half with few tokens";
  return {};
}

}  // namespace ddproxy::kernels
