// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "peaks.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

#include "kernels/gemm.hpp"

namespace ddproxy::bench {
namespace {

using kernels::Floats;
using kernels::Index;
using kernels::Space;

/// The least seconds of several calls.
template <class Work>
double best_seconds(Work const& work) {
  constexpr int repetitions = 10;
  double best = std::numeric_limits<double>::max();
  for (int i = 0; i < repetitions; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    Space().fence();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

double product_flops() {
  constexpr Index n = 1536;
  const Floats a("a", n * n), b("b", n * n), c("c", n * n);
  const double seconds = best_seconds([&] {
    kernels::gemm(Space(), {n, n, n}, 1, {a.data(), n}, {b.data(), n}, 0, {c.data(), n});
  });
  return 2.0 * n * n * n / seconds;
}

double triad_bytes() {
  constexpr Index n = Index{1} << 24;  // 64 MiB each, more than a cache holds
  const Floats a("a", n), b("b", n), c("c", n);
  float *const to = a.data(), *const left = b.data(), *const right = c.data();
  const auto triad = KOKKOS_LAMBDA(Index i) {
    to[i] = left[i] + 3 * right[i];
  };
  return 3 * sizeof(float) * n /
         best_seconds([&] { Kokkos::parallel_for(kernels::Range(Space(), 0, n), triad); });
}

}  // namespace

Peaks measure_peaks() {
  return {product_flops(), triad_bytes()};
}

}  // namespace ddproxy::bench
