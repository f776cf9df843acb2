// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <benchmark/benchmark.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>

#include "kernels/layernorm.hpp"
#include "kernels/rmsnorm.hpp"
#include "peaks.hpp"

// Measures the norms beside a copy (Peaks::copy_bytes) with arrays that are larger than the caches. Bytes are
// counted for each element. Forward reads x and writes y: 8 bytes. Backward reads x, dy and dx, and writes
// dx: 16 bytes.

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

double seconds_of(Row const& row, Norms const& norms) {
  const auto start = std::chrono::steady_clock::now();
  row.run(norms);
  norms.exec.fence();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Measures a norm and the copy in turns. `fraction` compares their least times.
void run_norm(benchmark::State& state, Row const& row, Index columns, Peaks const& peaks) {
  const Norms norms(columns);
  seconds_of(row, norms);
  double best = std::numeric_limits<double>::max(), copy = 0;
  for (auto _ : state) {
    const double seconds = seconds_of(row, norms);
    state.SetIterationTime(seconds);
    best = std::min(best, seconds);
    copy = std::max(copy, peaks.copy_bytes(1));
  }
  const double bytes = row.bytes * static_cast<double>(norms.rows * columns);
  state.counters["bytes/s"] = bytes / best;
  state.counters["copy"] = copy;
  state.counters["fraction"] = bytes / best / copy;
}

void register_all(std::shared_ptr<Peaks> const& peaks) {
  for (auto const& row : table)
    for (const Index columns : widths)
      benchmark::RegisterBenchmark(
          (std::string(row.name) + "/" + std::to_string(columns)).c_str(),
          [row, columns, peaks](benchmark::State& state) { run_norm(state, row, columns, *peaks); })
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
  ddproxy::bench::register_all(std::make_shared<ddproxy::bench::Peaks>());
  benchmark::RunSpecifiedBenchmarks();
  benchmark::ClearRegisteredBenchmarks();  // they own arrays, which must be freed before Kokkos ends
  return 0;
}
