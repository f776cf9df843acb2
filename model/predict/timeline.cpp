// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/predict/timeline.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace ddproxy::model {
namespace {

constexpr double rounding = 1e-9;  ///< relative amount by which running sums of times may exceed their total

void check_ready(std::span<const double> ready, double t_compute, Plan const& plan) {
  if (!std::is_sorted(ready.begin(), ready.end())) {
    throw std::invalid_argument(
        "timeline: the ready times must not decrease; give the gradients in ready order");
  }
  if (!ready.empty() && (ready.front() < 0 || ready.back() > t_compute * (1 + rounding))) {
    throw std::invalid_argument(
        "timeline: the ready times must lie between 0 and the end of the backward pass");
  }
  if (!plan.empty() && plan.back().last >= ready.size()) {
    throw std::invalid_argument("timeline: the plan contains gradient " + std::to_string(plan.back().last) +
                                " (counted from 0), but only " + std::to_string(ready.size()) +
                                " ready times are given");
  }
}

void check_copies(Copies const& copies) {
  if (copies.mode == CopyMode::none || (copies.bandwidth > 0 && copies.call_seconds >= 0)) return;
  throw std::invalid_argument(
      "copies: the bandwidth must be positive, and the time of a call must not be negative");
}

/// Returns when the last copy out of a bucket ends. A bucket is copied as soon as it is reduced, the backward
/// pass has ended, and the previous bucket is copied.
double end_of_copies_out(Timeline const& timeline, Plan const& plan, Copies const& copies) {
  double end = timeline.backward_end;
  for (std::size_t k = 0; k < plan.size(); ++k) {
    end = std::max(end, timeline.buckets[k].end) + copy_seconds(plan[k], copies);
  }
  return end;
}

}  // namespace

double copy_seconds(Bucket const& bucket, Copies const& copies) {
  if (copies.mode == CopyMode::none) return 0;
  const double calls = static_cast<double>(bucket.last - bucket.first + 1);
  return calls * copies.call_seconds + static_cast<double>(bucket.bytes) / copies.bandwidth;
}

Timeline simulate(std::span<const double> ready, double t_compute, Plan const& plan,
                  AllreduceCost const& cost, Contention const& contention, Copies const& copies,
                  double handover) {
  check_copies(copies);
  check_ready(ready, t_compute, plan);
  double busy = t_compute;  // seconds of compute, copies in included
  for (Bucket const& bucket : plan) busy += copy_seconds(bucket, copies);
  Timeline timeline;
  Fluid fluid;
  double copied = 0;
  for (Bucket const& bucket : plan) {
    copied += copy_seconds(bucket, copies);
    const double extra = is_handed_over(ready, t_compute, bucket.first, bucket.last) ? handover : 0;
    const double start =
        fluid.reduce(ready[bucket.last] + copied, busy, cost(bucket.bytes) + extra, contention(bucket.bytes));
    timeline.buckets.push_back({start, fluid.free});
  }
  timeline.backward_end = busy + fluid.delay;
  timeline.total = std::max(timeline.backward_end, fluid.free);
  if (copies.mode == CopyMode::in_out) timeline.total = end_of_copies_out(timeline, plan, copies);
  return timeline;
}

Timeline simulate(Job const& job, Plan const& plan) {
  return simulate(job.ready, job.t_compute, plan, job.cost, job.contention, job.copies, job.handover);
}

double communication_seconds(Plan const& plan, AllreduceCost const& cost) {
  double sum = 0;
  for (Bucket const& bucket : plan) sum += cost(bucket.bytes);
  return sum;
}

}  // namespace ddproxy::model
