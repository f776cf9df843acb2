// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ctest/bench/device_buckets.hpp"

#include "ctest/bench/nccl_stopwatch.hpp"
#include "miniapp/collectives/engines/nccl_lane.hpp"
#include "miniapp/device/device.hpp"

namespace ddproxy::bench {
namespace {

constexpr double operator_seconds = 50e-6;

Config nccl_config() {
  Config config;
  config.backend = Backend::nccl;
  return config;
}

}  // namespace

void NotingReplay::begin() {
  issued_.reset();
  StreamReplay::begin();
}

void NotingReplay::fence() {
  if (!issued_) issued_ = Clock::now();
  StreamReplay::fence();
}

DeviceBuckets::DeviceBuckets(Runtime const& runtime, std::int64_t cap_mib)
    : runtime_(runtime),
      steps_(bucket_steps(cap_mib)),
      arena_("gradients", static_cast<std::size_t>(model::parameters(steps_.pass))),
      lane_(make_nccl_allreduce(nccl_config(), runtime.communicator(), kernels::elements_of(arena_),
                                {arena_.extent(0)})),
      idle_(operations(), 0),
      busy_(operations(), operator_seconds) {}

StepTimes DeviceBuckets::run(CompiledStep& step, NotingReplay& compute) {
  synchronise_clocks();
  runtime_.barrier();
  return run_step(step, compute, *lane_);
}

double DeviceBuckets::seconds_to_issue(CompiledStep& step) {
  const auto start = run(step, idle_).start;
  return seconds_between(start, idle_.issued());
}

void DeviceBuckets::measure_host(HostTimes& times) {
  const double without = seconds_to_issue(steps_.without);
  take_nccl_seconds();
  const double with = seconds_to_issue(steps_.with), of_nccl = take_nccl_seconds();
  const auto count = static_cast<double>(buckets());
  times.bucket.push_back((with - without - of_nccl) / count);
  times.nccl.push_back(of_nccl / count);
  times.operation.push_back(without / static_cast<double>(operations()));
}

void DeviceBuckets::measure_device(DeviceTimes& times) {
  run(steps_.with, busy_);
  Clock::time_point previous_end{};
  for (auto const& call : lane_->finished()) {
    if (call.ready > previous_end) times.gap.push_back(seconds_between(call.ready, call.start));
    times.nccl.push_back(seconds_between(call.start, call.end));
    previous_end = call.end;
  }
}

}  // namespace ddproxy::bench
