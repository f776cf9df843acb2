// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <benchmark/benchmark.h>

#include <cmath>

#include "graph/costs.hpp"
#include "heap.hpp"
#include "jobs.hpp"
#include "model/predict/best_plan.hpp"
#include "model/predict/graph/ddp_costs.hpp"
#include "model/predict/graph/simulate_step.hpp"
#include "model/predict/graph/summarise.hpp"
#include "model/step/strategies/ddp.hpp"
#include "step/steps.hpp"

// Measures how long predictions take. docs/measurements/model.md has results and bounds. The test
// timing.model_bounds checks the bounds.
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

/// Measures optimal_plan(). Arguments: slices of each gradient; the factor by which a(x) is multiplied (1:
/// compute-bound, 1000: network-bound); contention (1) or none (0).
void best_of_all_plans(benchmark::State& state) {
  Job job = large_job(static_cast<double>(state.range(1)), static_cast<int>(state.range(0)));
  if (state.range(2) != 0) job.contention = large_contention();
  for (auto _ : state) benchmark::DoNotOptimize(optimal_plan(job).size());
  const auto gradients = static_cast<double>(job.gradient_bytes.size());
  state.counters["gradients"] = gradients;
  state.counters["heap_bytes_per_gradient"] =
      static_cast<double>(heap_peak([&] { optimal_plan(job); })) / gradients;
}

/// The step graph of GPT-2-large with one bucket for each of its 436 gradients, with contention or without.
struct LargeStep {
  explicit LargeStep(bool contention) {
    const Job job = large_job(10);
    plan = per_tensor_plan(job.gradient_bytes);
    step = ddp(pass, {plan}, 8);
    costs = ddp_costs(step, pass, seconds, job.cost, contention ? large_contention() : Contention{});
  }
  Shape shape = find_preset("gpt2-large");
  BackwardPass pass = backward_pass(shape);
  std::vector<double> seconds = modelled_seconds(shape, pass, {4, 1024}, {156e12, 1.555e12, 0.25}, 4);
  Plan plan;
  RankGraphs step;
  StepCosts costs;
};

void step_graph_build(benchmark::State& state) {
  const LargeStep large(false);
  for (auto _ : state) benchmark::DoNotOptimize(ddp(large.pass, {large.plan}, 8).classes.size());
}

void step_graph_costs(benchmark::State& state) {
  const LargeStep large(true);
  const AllreduceCost cost = large_job(10).cost;
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        ddp_costs(large.step, large.pass, large.seconds, cost, large_contention()).tasks.size());
  }
}

void step_graph_simulate(benchmark::State& state) {
  const LargeStep large(state.range(0) != 0);
  for (auto _ : state) benchmark::DoNotOptimize(simulate(large.step, large.costs).end());
  state.counters["tasks"] = static_cast<double>(large.step.classes[0].graph.tasks.size());
}

void step_graph_summarise(benchmark::State& state) {
  const LargeStep large(true);
  const StepTraces traces = simulate(large.step, large.costs);
  for (auto _ : state) {
    benchmark::DoNotOptimize(summarise(large.step.classes[0].graph, traces.classes[0].trace).exposed);
  }
}

/// Measures the simulation of a 1F1B pipeline. Arguments: stages, micro-batches.
void step_graph_pipeline(benchmark::State& state) {
  const RankGraphs step =
      pipeline_step(static_cast<std::size_t>(state.range(0)), static_cast<int>(state.range(1)));
  CostModel model = phase_costs({{Phase::forward, 1}, {Phase::backward, 2}});
  model.collectives.set(Verb::send, always(0.1));
  const StepCosts costs = step_costs(step, model);
  for (auto _ : state) benchmark::DoNotOptimize(simulate(step, costs).end());
  std::size_t tasks = 0;
  for (RankClass const& each : step.classes) tasks += each.graph.tasks.size();
  state.counters["tasks"] = static_cast<double>(tasks);
}

BENCHMARK(step_graph_pipeline)->Args({8, 64})->Args({16, 256})->Unit(benchmark::kMillisecond);
BENCHMARK(step_graph_build)->Unit(benchmark::kMillisecond);
BENCHMARK(step_graph_costs)->Unit(benchmark::kMillisecond);
BENCHMARK(step_graph_simulate)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);
BENCHMARK(step_graph_summarise)->Unit(benchmark::kMillisecond);
BENCHMARK(fifty_caps)->Unit(benchmark::kMillisecond);
BENCHMARK(all_caps)->Unit(benchmark::kMillisecond);
BENCHMARK(best_of_all_plans)->ArgsProduct({{1, 23}, {1, 100, 1000}, {0, 1}})->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ddproxy::model

BENCHMARK_MAIN();
