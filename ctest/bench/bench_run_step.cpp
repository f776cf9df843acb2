// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <benchmark/benchmark.h>
#include <Kokkos_Core.hpp>

#include "ctest/bench/bucket_steps.hpp"
#include "miniapp/measure/pass/run_step.hpp"

// Measures the cost of run_step() itself on the host, with a step of GPT-2-large whose operators and
// all-reduces do nothing. The counter `bucket` is the cost of one bucket: the time of a step with buckets
// minus the time of a step without buckets, divided by the number of buckets.
// docs/measurements/collectives.md has results.

namespace ddproxy {
namespace {

struct NoCompute : ComputeLane {
  explicit NoCompute(std::size_t operations) : operations_(operations) {}
  std::size_t operations() const override { return operations_; }
  void run(std::size_t operation) override { benchmark::DoNotOptimize(operation); }
  void copy(Slice from, std::size_t) override { benchmark::DoNotOptimize(from.count); }
  void wait_for(Completion const&) override {}
  Completion completion() override { return {Clock::now()}; }
  void fence() override {}
  std::size_t operations_;
};

struct NoAllreduce : CommunicationLane {
  void begin(std::size_t calls) override {
    done_.clear();
    done_.reserve(calls);
  }
  void start(CollectiveCall const& call, Completion ready) override {
    done_.push_back({call, ready.when, ready.when, ready.when});
  }
  void wait_all() override {}
  Completion wait_for(std::size_t call) override { return {done_[call].end}; }
  std::vector<FinishedCall> const& finished() const override { return done_; }
  ElementsByVerb elements_handed_over() const override { return {}; }
  std::string description() const override { return "none"; }
  std::vector<FinishedCall> done_;
};

double seconds_of(CompiledStep& step, NoCompute& compute, NoAllreduce& allreduce) {
  return run_step(step, compute, allreduce).total;
}

// The argument is the cap in MiB. 0: one bucket for each gradient.
void own_cost(benchmark::State& state) {
  auto steps = bench::bucket_steps(state.range(0));
  NoCompute compute(steps.pass.operations.size());
  NoAllreduce allreduce;
  double of_buckets = 0;
  for (auto _ : state) {
    const double alone = seconds_of(steps.without, compute, allreduce),
                 all = seconds_of(steps.with, compute, allreduce);
    of_buckets += all - alone;
    state.SetIterationTime(all);
  }
  const auto buckets = static_cast<double>(steps.buckets);
  state.counters["buckets"] = buckets;
  state.counters["bucket"] = of_buckets / static_cast<double>(state.iterations()) / buckets;
}
BENCHMARK(own_cost)->Arg(0)->Arg(25)->UseManualTime()->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace ddproxy

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
