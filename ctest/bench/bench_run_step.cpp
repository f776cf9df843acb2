// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <benchmark/benchmark.h>
#include <Kokkos_Core.hpp>

#include <memory>
#include <utility>
#include <vector>

#include "ctest/bench/bucket_steps.hpp"
#include "miniapp/collectives/drivers/joint_lanes.hpp"
#include "miniapp/collectives/drivers/polled_lane.hpp"
#include "miniapp/collectives/drivers/threaded_lane.hpp"
#include "miniapp/measure/pass/run_step.hpp"

// Measures the cost of run_step() itself on the host, with a step of GPT-2-large whose operators and
// all-reduces do nothing. The time of a row is that of a whole step with buckets. The counter `bucket` is the
// cost of one bucket in seconds: the time of a step with buckets minus the time of a step without buckets,
// divided by the number of buckets. docs/measurements/collectives.md has results. The rows:
//   own_cost      a lane that only notes the calls, so the cost of a bucket is time of run_step() only
//   driver_cost/  the lanes of ddproxy with an engine whose collectives are complete as soon as they begin.
//                 So the cost of a bucket also contains the queue of calls and, with a communication thread,
//                 the handover to this thread.
//     poll                PolledLane
//     thread_own_core     ThreadedLane, ThreadPlace::own_core
//     thread_shared_core  ThreadedLane, ThreadPlace::shared_core
//     two_lanes_poll      two lanes of a JointDriver, which get the buckets in turn; no communication thread
//     two_lanes_thread    the same two lanes with a communication thread
// Each row is measured with one bucket for each gradient (/0) and with a cap of 25 MiB (/25).

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

struct NoEngine : CollectiveEngine {
  void begin(CollectiveCall const& call, Completion ready) override {
    done_ = {call, ready.when, ready.when, ready.when};
  }
  bool test() override { return true; }
  void wait(std::size_t, CoreIsFree const&) override {}
  FinishedCall last() const override { return done_; }
  ElementsByVerb elements_handed_over() const override { return {}; }
  std::string description() const override { return "none"; }
  FinishedCall done_{};
};

using Lanes = std::vector<std::unique_ptr<CommunicationLane>>;

Lanes one_lane(std::unique_ptr<CommunicationLane> lane) {
  Lanes lanes;
  lanes.push_back(std::move(lane));
  return lanes;
}

Lanes polled_lane() {
  return one_lane(std::make_unique<PolledLane>(std::make_unique<NoEngine>(), true));
}

Lanes threaded_lane(ThreadPlace place) {
  return one_lane(std::make_unique<ThreadedLane>(std::make_unique<NoEngine>(), place));
}

Lanes two_lanes(bool thread) {
  std::vector<std::unique_ptr<CollectiveEngine>> engines;
  for (int lane = 0; lane < 2; ++lane) engines.push_back(std::make_unique<NoEngine>());
  return make_joint_lanes(std::move(engines), {.thread = thread});
}

// The argument is the cap in MiB. 0: one bucket for each gradient.
void measure_cost(benchmark::State& state, Lanes const& lanes) {
  auto steps = bench::bucket_steps(state.range(0), lanes.size());
  NoCompute compute(steps.pass.operations.size());
  std::vector<CommunicationLane*> all;
  for (auto const& lane : lanes) all.push_back(lane.get());
  const auto seconds_of = [&](CompiledStep& step) { return run_step(step, compute, all).total; };
  seconds_of(steps.with);  // lets a communication thread start
  double of_buckets = 0;
  for (auto _ : state) {
    const double without = seconds_of(steps.without), with = seconds_of(steps.with);
    of_buckets += with - without;
    state.SetIterationTime(with);
  }
  const auto buckets = static_cast<double>(steps.buckets);
  state.counters["buckets"] = buckets;
  state.counters["bucket"] = of_buckets / static_cast<double>(state.iterations()) / buckets;
}

struct Row {
  char const* name;
  Lanes (*make_lanes)();
};

const std::vector<Row> rows{
    {"own_cost", [] { return one_lane(std::make_unique<NoAllreduce>()); }},
    {"driver_cost/poll", polled_lane},
    {"driver_cost/thread_own_core", [] { return threaded_lane(ThreadPlace::own_core); }},
    {"driver_cost/thread_shared_core", [] { return threaded_lane(ThreadPlace::shared_core); }},
    {"driver_cost/two_lanes_poll", [] { return two_lanes(false); }},
    {"driver_cost/two_lanes_thread", [] { return two_lanes(true); }},
};

void register_all() {
  for (auto const& row : rows)
    benchmark::RegisterBenchmark(row.name,
                                 [row](benchmark::State& state) { measure_cost(state, row.make_lanes()); })
        ->Arg(0)
        ->Arg(25)
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
}

}  // namespace
}  // namespace ddproxy

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  benchmark::Initialize(&argc, argv);
  ddproxy::register_all();
  benchmark::RunSpecifiedBenchmarks();
}
