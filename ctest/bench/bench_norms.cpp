// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <benchmark/benchmark.h>

#include <algorithm>
#include <ctime>
#include <string>
#include <vector>

#include "kernels/norm/layernorm.hpp"
#include "kernels/norm/rmsnorm.hpp"
#include "model/statistics/quantile.hpp"

// Measures the norms in turns with a loop that copies. The arrays are larger than the caches. Bytes are
// counted for each element. Forward reads x and writes y: 8 bytes. Backward reads x, dy and dx, and writes
// dx: 16 bytes. The copy reads one array and writes one: 8 bytes. The processor reads a cache line before it
// writes the line; these reads are not counted.

namespace ddproxy::bench {
namespace {

using kernels::Index;

constexpr Index elements = Index{1} << 24;
constexpr Index widths[] = {1280, 4096};  // of GPT-2-large and of Llama-3-8B

kernels::Floats array(Index count) {
  kernels::Floats values("values", static_cast<std::size_t>(count));
  Kokkos::deep_copy(values, 0.01F);
  return values;
}

/// The arrays of both norms for rows of `columns` elements.
struct Norms {
  explicit Norms(Index width)
      : columns(width),
        scratch(array(std::max(kernels::layernorm_scratch(exec.concurrency(), width),
                               kernels::rmsnorm_scratch(exec.concurrency(), width)))) {}

  kernels::RowStatistics statistics() const { return {kept.data(), kept.data() + rows}; }

  kernels::Space exec;
  Index columns, rows = elements / columns;
  kernels::Floats x = array(elements), y = array(elements), dy = array(elements), dx = array(elements);
  kernels::Floats weight = array(columns), bias = array(columns), kept = array(2 * rows);
  kernels::Floats dweight = array(columns), dbias = array(columns), scratch;
};

void layernorm_forward(Norms const& n) {
  kernels::layernorm_forward(n.exec, n.rows, n.columns, n.x.data(), n.weight.data(), n.bias.data(),
                             n.y.data(), n.statistics());
}

void layernorm_both(Norms const& n) {
  layernorm_forward(n);
  kernels::layernorm_backward(n.exec, n.rows, n.columns, n.x.data(), n.statistics(), n.weight.data(),
                              n.dy.data(), {n.dweight.data(), n.dbias.data(), n.dx.data()}, n.scratch.data());
}

void rmsnorm_forward(Norms const& n) {
  kernels::rmsnorm_forward(n.exec, n.rows, n.columns, n.x.data(), n.weight.data(), n.y.data(), n.kept.data());
}

void rmsnorm_both(Norms const& n) {
  rmsnorm_forward(n);
  kernels::rmsnorm_backward(n.exec, n.rows, n.columns, n.x.data(), n.kept.data(), n.weight.data(),
                            n.dy.data(), {n.dweight.data(), n.dx.data()}, n.scratch.data());
}

struct Row {
  char const* name;
  void (*run)(Norms const&);
  double bytes;  ///< bytes read and written for each element
};

constexpr Row table[] = {{"layernorm forward", layernorm_forward, 8},
                         {"layernorm forward and backward", layernorm_both, 24},
                         {"rmsnorm forward", rmsnorm_forward, 8},
                         {"rmsnorm forward and backward", rmsnorm_both, 24}};

/// Computes one element of STREAM's kernel `scale`. The factor keeps the compiler from calling memcpy(),
/// which writes large arrays with non-temporal stores. Such stores do not read the cache line first.
struct Copy {
  float* to;
  float const* from;
  KOKKOS_FUNCTION void operator()(Index i) const { to[i] = 3 * from[i]; }
};

void copy(Norms const& n) {
  Kokkos::parallel_for("copy", kernels::Range(n.exec, 0, elements), Copy{n.y.data(), n.x.data()});
}

/// Returns a time in seconds. On one thread it is the processor time of this thread, which leaves out the
/// time of other programs.
double now() {
  timespec time{};
  clock_gettime(kernels::Space().concurrency() == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double seconds_of(void (*run)(Norms const&), Norms const& norms) {
  const double start = now();
  run(norms);
  norms.exec.fence();
  return now() - start;
}

/// Measures a norm and the copy in turns. `fraction` is the norm's largest bytes/s divided by the copy's
/// largest bytes/s. In each turn the bytes/s of the norm are divided by those of the copy; `median` is the
/// median of these ratios.
void run_norm(benchmark::State& state, Row const& row, Index columns) {
  constexpr double copied = 2 * sizeof(float) * elements;
  const Norms norms(columns);
  const double bytes = row.bytes * static_cast<double>(norms.rows * columns);
  seconds_of(row.run, norms);
  double best = 0, best_copy = 0;
  std::vector<double> ratios;
  for (auto _ : state) {
    const double seconds = seconds_of(row.run, norms), copying = seconds_of(copy, norms);
    state.SetIterationTime(seconds);
    best = std::max(best, bytes / seconds);
    best_copy = std::max(best_copy, copied / copying);
    ratios.push_back(bytes / seconds / (copied / copying));
  }
  state.counters["bytes/s"] = best;
  state.counters["copy"] = best_copy;
  state.counters["fraction"] = best / best_copy;
  state.counters["median"] = model::median_in_place(ratios);
}

void register_all() {
  for (auto const& row : table)
    for (const Index columns : widths)
      benchmark::RegisterBenchmark((std::string(row.name) + "/" + std::to_string(columns)).c_str(),
                                   [row, columns](benchmark::State& state) { run_norm(state, row, columns); })
          ->UseManualTime()
          ->Unit(benchmark::kMillisecond);
}

}  // namespace
}  // namespace ddproxy::bench

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos;
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::AddCustomContext("threads", std::to_string(ddproxy::kernels::Space().concurrency()));
  ddproxy::bench::register_all();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::ClearRegisteredBenchmarks();
  return 0;
}
