// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "miniapp/collectives/drivers/allreduce.hpp"
#include "miniapp/compute/backward.hpp"
#include "miniapp/input/workload.hpp"
#include "model/step/bucket_plan.hpp"

namespace ddproxy {

/// The buckets of a plan as slices of the arena, by the operation that closes each.
class Schedule {
 public:
  /// No bucket at all: the backward pass alone.
  explicit Schedule(std::size_t operations) : closed_(operations) {}
  /// With `overlapped` a bucket starts when its last gradient is complete, else after the backward pass.
  Schedule(Workload const& workload, model::Plan const& plan, bool overlapped);

  std::span<const Slice> closed_by(std::size_t operation) const { return closed_[operation]; }
  std::span<const Slice> after_backward() const { return after_; }
  std::span<const Slice> buckets() const { return buckets_; }

 private:
  std::vector<std::vector<Slice>> closed_;
  std::vector<Slice> after_;
  std::vector<Slice> buckets_;
};

/// One timed pass on this rank, in seconds from its start.
struct PassTimes {
  Clock::time_point start;
  double backward_end;
  double total;  ///< backward over, every bucket reduced, and copied back where that is asked for
};

/// Runs the backward pass and reduces its buckets. No barrier: the caller sees to it that all ranks start
/// together, and that the clocks were synchronised (synchronise_clocks()) while nobody used the device.
PassTimes run_pass(Backward& backward, Allreduce& allreduce, Schedule const& schedule);

}  // namespace ddproxy
