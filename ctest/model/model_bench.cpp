// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <benchmark/benchmark.h>

#include <cmath>

#include "heap.hpp"
#include "jobs.hpp"
#include "model/predict/best_plan.hpp"

// How fast the model is. No time is asserted; docs/measurements/model.md holds what was measured.
namespace ddproxy::model {
namespace {

void fifty_caps(benchmark::State& state) {
  const Job job = large_job();
  for (auto _ : state) {
    for (int k = 0; k < 50; ++k) {
      const std::int64_t cap = mib(std::pow(2.0, k / 5.0));
      benchmark::DoNotOptimize(simulate(job, bucketed_plan(job.gradient_bytes, {&cap, 1})).total);
    }
  }
}

void all_caps(benchmark::State& state) {
  const Job job = large_job();
  for (auto _ : state) benchmark::DoNotOptimize(sweep_caps(job).size());
}

/// Slices of a gradient; how many times slower the all-reduce is, from compute-bound to bound by the network;
/// with contention or without.
void best_of_all_plans(benchmark::State& state) {
  Job job = large_job(static_cast<double>(state.range(1)), static_cast<int>(state.range(0)));
  if (state.range(2) != 0) job.contention = large_contention();
  for (auto _ : state) benchmark::DoNotOptimize(optimal_plan(job).size());
  const auto gradients = static_cast<double>(job.gradient_bytes.size());
  state.counters["gradients"] = gradients;
  state.counters["heap_bytes_per_gradient"] =
      static_cast<double>(heap_peak([&] { optimal_plan(job); })) / gradients;
}

BENCHMARK(fifty_caps)->Unit(benchmark::kMillisecond);
BENCHMARK(all_caps)->Unit(benchmark::kMillisecond);
BENCHMARK(best_of_all_plans)->ArgsProduct({{1, 23}, {1, 100, 1000}, {0, 1}})->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ddproxy::model

BENCHMARK_MAIN();
