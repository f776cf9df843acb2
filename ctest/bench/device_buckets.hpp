// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "ctest/bench/bucket_steps.hpp"
#include "kernels/base/types.hpp"
#include "miniapp/collectives/drivers/communication_lane.hpp"
#include "miniapp/compute/replay/stream_replay.hpp"
#include "miniapp/machine/runtime.hpp"
#include "miniapp/measure/pass/run_step.hpp"

namespace ddproxy::bench {

/// A compute lane that replays operators, and notes when the host has issued the step: at the first fence().
/// In the steps of bucket_steps.hpp, run_step() calls fence() only when nothing is left to issue.
class NotingReplay : public StreamReplay {
 public:
  /// Each operator occupies the stream for `seconds`. With 0 seconds it launches no kernel.
  NotingReplay(std::size_t operations, double seconds)
      : StreamReplay(std::vector<double>(operations, seconds), 0, operations) {}
  void begin() override;
  void fence() override;
  /// Returns the time at which the host had issued the last step. Call it after run_step().
  Clock::time_point issued() const { return issued_.value(); }

 private:
  std::optional<Clock::time_point> issued_;
};

/// Times of the host, in seconds, one value for each measurement.
struct HostTimes {
  std::vector<double> bucket;     ///< in run_step() for one bucket, without ncclAllReduce
  std::vector<double> nccl;       ///< in ncclAllReduce for one bucket
  std::vector<double> operation;  ///< for one operator that launches no kernel, its event included
};

/// Times of the device, in seconds, one value for each bucket of each measurement. `gap` has no value for a
/// bucket that became ready before the previous bucket was reduced.
struct DeviceTimes {
  std::vector<double> gap;   ///< from the event of the last gradient to the event before NCCL's work
  std::vector<double> nccl;  ///< between the events before and after NCCL's work
};

/// Measures what a bucket of GPT-2-large costs with NCCL. Exists only in builds for a device with NCCL, in
/// programs that link nccl_stopwatch.cpp.
class DeviceBuckets {
 public:
  /// `cap_mib` is the cap of the buckets in MiB; 0: one bucket for each gradient. `runtime` must outlive the
  /// object. Allocates the gradients, 3 GB of device memory. Collective.
  DeviceBuckets(Runtime const& runtime, std::int64_t cap_mib);

  std::size_t buckets() const { return steps_.buckets; }
  /// Runs a step without buckets and a step with buckets, and adds a value to each list. The operators of
  /// both steps launch nothing. Collective.
  void measure_host(HostTimes& times);
  /// Runs a step with operators of 50 us, so that the host is ahead of the device, and adds the times of its
  /// buckets. Collective.
  void measure_device(DeviceTimes& times);

 private:
  std::size_t operations() const { return steps_.pass.operations.size(); }
  StepTimes run(CompiledStep& step, NotingReplay& compute);
  double seconds_to_issue(CompiledStep& step);

  Runtime const& runtime_;
  BucketSteps steps_;
  kernels::Floats arena_;
  std::unique_ptr<CommunicationLane> lane_;
  NotingReplay idle_, busy_;
};

}  // namespace ddproxy::bench
