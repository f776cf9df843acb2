// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace ddproxy::kernels {

/// The properties of a processor that decide which kernels of OpenBLAS are fastest.
struct VectorUnits {
  bool avx512 = false;
  bool halves = false;  ///< the units are 256 bits wide: an AVX-512 instruction takes two cycles (Zen 4)
};

/// Returns a value of OPENBLAS_CORETYPE that was measured to be faster on such a processor than `core`, the
/// core type that OpenBLAS chose (docs/measurements/kernels.md). Returns an empty string if none is known.
inline std::string faster_core_type(std::string const& core, VectorUnits units) {
  const bool uses_avx512 = core == "SkylakeX" || core == "Cooperlake" || core == "SapphireRapids";
  if (units.avx512 && !units.halves && !uses_avx512) return "SKYLAKEX";
  if (units.halves && uses_avx512) return "HASWELL";
  return {};
}

/// Returns one line for the user that names the faster core type and how to set it. Returns an empty string
/// if faster_core_type() knows none. `set` is the user's OPENBLAS_CORETYPE; nullptr: it is not set, so that
/// OpenBLAS chose `core` itself.
inline std::string openblas_advice(std::string const& core, VectorUnits units, char const* set) {
  const auto faster = faster_core_type(core, units);
  if (faster.empty()) return {};
  const std::string now =
      set ? "OPENBLAS_CORETYPE=" + std::string(set) + " is set" : "OpenBLAS chose the core type " + core;
  const std::string cure = (set ? "unset it, or " : "") + ("set OPENBLAS_CORETYPE=" + faster) + ", which";
  if (faster == "SKYLAKEX")
    return now + ", but this processor has AVX-512; " + cure + " may be up to twice as fast";
  return now + ", but the vector units of this processor are 256 bits wide; " + cure +
         " was 5 % faster on Zen 4, and up to 50 % faster with few tokens";
}

/// Returns one line for the user if OpenBLAS was built without threads and Kokkos computes with several
/// `threads`. Returns an empty string otherwise. `parallel` is what openblas_get_parallel() returns: 0 for no
/// threads, 1 for POSIX threads, 2 for OpenMP.
inline std::string threads_advice(int parallel, int threads) {
  if (parallel != 0 || threads <= 1) return {};
  return "this OpenBLAS has no threads, so each matrix product uses one of the " + std::to_string(threads) +
         " threads; build with an OpenBLAS for OpenMP (Debian: libopenblas-openmp-dev, "
         "Spack: openblas threads=openmp)";
}

/// Returns the two texts in one line, with "; " between them if neither is empty.
inline std::string join_advice(std::string const& first, std::string const& second) {
  return first.empty() || second.empty() ? first + second : first + "; " + second;
}

}  // namespace ddproxy::kernels
