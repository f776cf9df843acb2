// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <benchmark/benchmark.h>

#include <cmath>

#include "model/best_plan.hpp"
#include "model/csv.hpp"
#include "model/layer_cost.hpp"
#include "published.hpp"

// How fast the model is. No time is asserted; docs/measurements/model.md holds what was measured.
namespace ddproxy::model {
namespace {

/// GPT-2-large on the published table of 8 A100s, `slower` times as slow; more slices than 1 cut each
/// gradient.
Job large_job(double slower, int slices) {
  const Shape shape = find_preset("gpt2-large");
  const BackwardPass pass = backward_pass(shape);
  const auto seconds = modelled_seconds(shape, pass, {4, 1024}, {156e12, 1.555e12, 0.25}, 4);
  std::vector<double> ends;
  Job job;
  for (const double s : seconds) ends.push_back(job.t_compute += s);
  for (Gradient const& gradient : pass.gradients) {
    for (int slice = 0; slice < slices; ++slice) {
      job.ready.push_back(ends[gradient.operation]);
      job.gradient_bytes.push_back(std::max<std::int64_t>(1, gradient.numel * 4 / slices));
    }
  }
  const TableCost table(read_allreduce(published("allreduce-8xa100-1node.csv")));
  job.cost = [table, slower](std::int64_t bytes) { return slower * table(bytes); };
  return job;
}

void fifty_caps(benchmark::State& state) {
  const Job job = large_job(1, 1);
  for (auto _ : state) {
    for (int k = 0; k < 50; ++k) {
      const std::int64_t cap = mib(std::pow(2.0, k / 5.0));
      benchmark::DoNotOptimize(simulate(job, bucketed_plan(job.gradient_bytes, {&cap, 1})).total);
    }
  }
}

void all_caps(benchmark::State& state) {
  const Job job = large_job(1, 1);
  for (auto _ : state) benchmark::DoNotOptimize(sweep_caps(job).size());
}

/// Slices of a gradient; how many times slower the all-reduce is, from compute-bound to bound by the network;
/// with contention or without.
void best_of_all_plans(benchmark::State& state) {
  Job job = large_job(static_cast<double>(state.range(1)), static_cast<int>(state.range(0)));
  if (state.range(2) != 0)
    job.contention = Contention({{5120, {0.95, 0.2}}, {1 << 20, {0.8, 0.6}}, {64 << 20, {0.8, 0.8}}});
  for (auto _ : state) benchmark::DoNotOptimize(optimal_plan(job).size());
  state.counters["gradients"] = static_cast<double>(job.gradient_bytes.size());
}

BENCHMARK(fifty_caps)->Unit(benchmark::kMillisecond);
BENCHMARK(all_caps)->Unit(benchmark::kMillisecond);
BENCHMARK(best_of_all_plans)->ArgsProduct({{1, 23}, {1, 100, 1000}, {0, 1}})->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ddproxy::model

BENCHMARK_MAIN();
