// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ctest/bench/bucket_steps.hpp"
#include "ctest/bench/nccl_stopwatch.hpp"
#include "ctest/bench/ranks.hpp"
#include "kernels/types.hpp"
#include "miniapp/collectives/engines/nccl_lane.hpp"
#include "miniapp/compute/stream_replay.hpp"
#include "miniapp/device/device.hpp"
#include "miniapp/machine/runtime.hpp"
#include "miniapp/measure/pass/run_step.hpp"
#include "model/statistics/quantile.hpp"

// Measures what a bucket costs on a device, with a step of GPT-2-large and its all-reduces by NCCL. The
// counters are medians over the iterations, in us:
//   bucket_us     time of the host for one bucket in run_step(), without ncclAllReduce: the time in which the
//                 host issues the step, minus that of the step without buckets, minus nccl_us
//   nccl_us       time of the host in ncclAllReduce, for one bucket
//   operation_us  time of the host for one operator that launches no kernel, its event included
//   gap_us        time on the device from the event of a bucket's last gradient to the event directly before
//                 NCCL's work; gap_95_us: the 95 % quantile. Buckets that wait for the previous one do not
//                 count.
//   device_us     time on the device between the events before and after NCCL's work
// The first three are measured with operators that launch nothing; the others with operators of 50 us, so
// that the host is ahead of the device. On one rank NCCL launches no kernel for a reduction in place.

namespace ddproxy::bench {
namespace {

constexpr double operator_seconds = 50e-6;

/// A compute lane that replays operators, and notes when the host has issued the step. run_step() calls
/// fence() first when nothing is left to issue.
class NotingReplay : public StreamReplay {
 public:
  NotingReplay(std::size_t operations, double seconds)
      : StreamReplay(std::vector<double>(operations, seconds), 0, operations) {}
  void begin() override {
    issued_.reset();
    StreamReplay::begin();
  }
  void fence() override {
    if (!issued_) issued_ = Clock::now();
    StreamReplay::fence();
  }
  Clock::time_point issued() const { return issued_.value(); }

 private:
  std::optional<Clock::time_point> issued_;
};

struct HostTimes {
  std::vector<double> bucket, nccl, operation;  // seconds
};

struct DeviceTimes {
  std::vector<double> gap, nccl;  // seconds
};

Config nccl_config() {
  Config config;
  config.backend = Backend::nccl;
  return config;
}

class Rig {
 public:
  Rig(Runtime const& runtime, std::int64_t cap_mib)
      : runtime_(runtime),
        steps_(bucket_steps(cap_mib)),
        arena_("gradients", static_cast<std::size_t>(model::parameters(steps_.pass))),
        lane_(make_nccl_allreduce(nccl_config(), runtime.communicator(), arena_, arena_.extent(0))),
        idle_(operations(), 0),
        busy_(operations(), operator_seconds) {}

  std::size_t buckets() const { return steps_.buckets; }
  std::size_t operations() const { return steps_.pass.operations.size(); }
  void measure_host(HostTimes& times);
  void measure_device(DeviceTimes& times);

 private:
  StepTimes run(CompiledStep& step, NotingReplay& compute);
  double seconds_to_issue(CompiledStep& step);

  Runtime const& runtime_;
  BucketSteps steps_;
  kernels::Floats arena_;
  std::unique_ptr<CommunicationLane> lane_;
  NotingReplay idle_, busy_;
};

StepTimes Rig::run(CompiledStep& step, NotingReplay& compute) {
  synchronise_clocks();
  runtime_.barrier();
  return run_step(step, compute, *lane_);
}

double Rig::seconds_to_issue(CompiledStep& step) {
  const auto start = run(step, idle_).start;
  return seconds_between(start, idle_.issued());
}

void Rig::measure_host(HostTimes& times) {
  const double without = seconds_to_issue(steps_.without);
  take_nccl_seconds();
  const double with = seconds_to_issue(steps_.with), of_nccl = take_nccl_seconds();
  const auto count = static_cast<double>(buckets());
  times.bucket.push_back((with - without - of_nccl) / count);
  times.nccl.push_back(of_nccl / count);
  times.operation.push_back(without / static_cast<double>(operations()));
}

void Rig::measure_device(DeviceTimes& times) {
  run(steps_.with, busy_);
  Clock::time_point previous_end{};
  for (auto const& call : lane_->finished()) {
    if (call.ready > previous_end) times.gap.push_back(seconds_between(call.ready, call.start));
    times.nccl.push_back(seconds_between(call.start, call.end));
    previous_end = call.end;
  }
}

double microseconds(std::vector<double> const& seconds, double quantile = 0.5) {
  return seconds.empty() ? std::nan("") : model::quantile(seconds, quantile) * 1e6;
}

void measure(benchmark::State& state, Runtime const& runtime) {
  Rig rig(runtime, state.range(0));
  HostTimes first, host;
  DeviceTimes warm_up, device;
  rig.measure_host(first);  // the library loads its kernels in the first step
  rig.measure_device(warm_up);
  for (auto _ : state) {
    const auto start = Clock::now();
    rig.measure_host(host);
    rig.measure_device(device);
    state.SetIterationTime(seconds_since(start));
  }
  state.counters["buckets"] = static_cast<double>(rig.buckets());
  state.counters["bucket_us"] = microseconds(host.bucket);
  state.counters["nccl_us"] = microseconds(host.nccl);
  state.counters["operation_us"] = microseconds(host.operation);
  state.counters["gap_us"] = microseconds(device.gap);
  state.counters["gap_95_us"] = microseconds(device.gap, 0.95);
  state.counters["device_us"] = microseconds(device.nccl);
}

int run(int argc, char** argv) {
  const Runtime runtime(argc, argv, {.share_device = true});
  const std::size_t iterations = take_number(argc, argv, "--iterations=", 31);
  keep_files_to_root(argc, argv, runtime.root());
  benchmark::Initialize(&argc, argv);
  if (iterations == 0 || benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::AddCustomContext("ranks", std::to_string(runtime.ranks()));
  benchmark::AddCustomContext("ranks on a device", std::to_string(runtime.ranks_on_device()));
  benchmark::AddCustomContext("NCCL", loaded_nccl_version());
  benchmark::RegisterBenchmark("bucket", [&](benchmark::State& state) { measure(state, runtime); })
      ->Arg(0)
      ->Arg(25)
      ->Iterations(static_cast<std::int64_t>(iterations))
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
  run_on_all_ranks(runtime.root());
  return 0;
}

}  // namespace
}  // namespace ddproxy::bench

int main(int argc, char** argv) try {
  return ddproxy::bench::run(argc, argv);
} catch (std::exception const&) {
  const auto error = ddproxy::describe_current_exception();
  std::fprintf(stderr, "bench_device_step: %s\n", error.message.c_str());
  return error.code;
}
