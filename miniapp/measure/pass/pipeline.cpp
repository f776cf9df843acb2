// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/measure/pass/pipeline.hpp"

#include "miniapp/device/device.hpp"
#include "miniapp/measure/pass/run_ahead.hpp"

namespace ddproxy {
namespace {

double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// As DDP does it: wait for a bucket, copy it, wait for the next one.
void copy_back(Backward& backward, Allreduce& allreduce, std::span<const Slice> buckets) {
  for (std::size_t k = 0; k < buckets.size(); ++k) backward.take_back(buckets[k], allreduce.wait_for(k));
}

}  // namespace

Schedule::Schedule(Workload const& workload, model::Plan const& plan, bool overlapped)
    : closed_(workload.pass.operations.size()) {
  const model::TensorLayout layout(workload.pass);
  for (auto const& bucket : plan) {
    const Slice slice = layout.run(bucket.first, bucket.last);
    buckets_.push_back(slice);
    const auto operation = workload.pass.gradients[bucket.last].operation;
    (overlapped ? closed_[operation] : after_).push_back(slice);
  }
}

PassTimes run_pass(Backward& backward, Allreduce& allreduce, Schedule const& schedule) {
  allreduce.begin(schedule.buckets().size());
  RunAhead run_ahead(backward.operations());
  PassTimes times{Clock::now(), 0, 0};
  backward.begin();
  for (std::size_t op = 0; op < backward.operations(); ++op) {
    backward.run(op);
    for (auto const& slice : schedule.closed_by(op)) allreduce.start(slice, backward.completion());
    if constexpr (on_device) run_ahead.asked(backward.completion());
    allreduce.progress();
  }
  backward.fence();
  times.backward_end = since(times.start);
  for (auto const& slice : schedule.after_backward()) allreduce.start(slice, backward.completion());
  if (backward.takes_back()) copy_back(backward, allreduce, schedule.buckets());
  allreduce
      .wait_all();  // before the fence, which would wait for ever for an all-reduce that makes no progress
  if (backward.takes_back()) backward.fence();
  times.total = since(times.start);
  return times;
}

}  // namespace ddproxy
