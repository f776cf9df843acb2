// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "peaks.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

#include "kernels/gemm/gemm.hpp"

namespace ddproxy::bench {
namespace {

using kernels::Index;
using kernels::Space;

/// Returns the least seconds of `tries` calls.
template <class Work>
double best_seconds(int tries, Work const& work) {
  double best = std::numeric_limits<double>::max();
  for (int i = 0; i < tries; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    Space().fence();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

}  // namespace

Peaks::Peaks() : a_("a", length), b_("b", length), c_("c", length), d_("d", length) {}

double Peaks::flops(int tries) const {
  constexpr Index n = rows;
  const double seconds = best_seconds(tries, [&] {
    kernels::gemm(Space(), {n, n, n}, 1, {a_.data(), n}, {b_.data(), n}, 0, {c_.data(), n});
  });
  return 2.0 * n * n * n / seconds;
}

double Peaks::bytes(int tries) const {
  float *const to = a_.data(), *const left = b_.data(), *const right = c_.data();
  const auto triad = KOKKOS_LAMBDA(Index i) {
    to[i] = left[i] + 3 * right[i];
  };
  return 3 * sizeof(float) * length /
         best_seconds(tries, [&] { Kokkos::parallel_for(kernels::Range(Space(), 0, length), triad); });
}

double Peaks::update_bytes(int tries) const {
  float *const x = a_.data(), *const y = b_.data(), *const z = c_.data(), *const from = d_.data();
  const auto update = KOKKOS_LAMBDA(Index i) {
    const float value = from[i];
    x[i] += value;
    y[i] += 2 * value;
    z[i] += 3 * value;
  };
  return 7 * sizeof(float) * length /
         best_seconds(tries, [&] { Kokkos::parallel_for(kernels::Range(Space(), 0, length), update); });
}

}  // namespace ddproxy::bench
