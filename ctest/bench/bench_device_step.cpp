// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "ctest/bench/device_buckets.hpp"
#include "ctest/bench/ranks.hpp"
#include "miniapp/collectives/engines/nccl_lane.hpp"
#include "miniapp/machine/runtime.hpp"
#include "model/statistics/quantile.hpp"

// Measures what a bucket costs on a device, with a step of GPT-2-large and its all-reduces by NCCL. The row
// bucket/0 has one bucket for each gradient, the row bucket/25 has buckets with a cap of 25 MiB. The counter
// `buckets` is the number of buckets. The other counters are medians, in us: those of the host over the
// iterations, and those of the device over the buckets of all iterations.
//   bucket_us     time of the host for one bucket in run_step(), without ncclAllReduce:
//                 (time to issue the step - time to issue it without buckets) / buckets - nccl_us
//   nccl_us       time of the host in ncclAllReduce, for one bucket
//   operation_us  time of the host for one operator that launches no kernel, its event included
//   gap_us        time on the device from the event of a bucket's last gradient to the event directly before
//                 NCCL's work; gap_95_us: the 95 % quantile. Buckets that wait for the previous bucket
//                 are left out.
//   device_us     time on the device between the events before and after NCCL's work
// The first three are measured with operators that launch nothing. The others are measured with operators of
// 50 us, so that the host is ahead of the device. On one rank NCCL sends nothing: an average only reads and
// writes the bucket.

namespace ddproxy::bench {
namespace {

double microseconds(std::vector<double> const& seconds, double quantile = 0.5) {
  return seconds.empty() ? std::nan("") : model::quantile(seconds, quantile) * 1e6;
}

void measure(benchmark::State& state, Runtime const& runtime) {
  DeviceBuckets buckets(runtime, state.range(0));
  HostTimes first, host;
  DeviceTimes warm_up, device;
  buckets.measure_host(first);  // NCCL loads its kernels in the first step
  buckets.measure_device(warm_up);
  for (auto _ : state) {
    const auto start = Clock::now();
    buckets.measure_host(host);
    buckets.measure_device(device);
    state.SetIterationTime(seconds_since(start));
  }
  state.counters["buckets"] = static_cast<double>(buckets.buckets());
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
