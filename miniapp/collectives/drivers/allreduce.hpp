// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "miniapp/compute/compute_lane.hpp"

namespace ddproxy {

/// A bucket to be reduced.
struct PostedBucket {
  Slice slice;
  Completion ready;  ///< of its gradients
};

/// A bucket as it was reduced on this rank.
struct ReducedBucket {
  Slice slice;
  Clock::time_point start;
  Clock::time_point end;    ///< scaled by 1/n
  Clock::time_point ready;  ///< as the pipeline declared it, whenever the all-reduce came to start
};

/// Averages buckets over all ranks: slices of the arena, in place, one after another in the order of start().
class Allreduce {
 public:
  virtual ~Allreduce() = default;
  /// Forgets earlier buckets and makes room for `buckets`, so that nothing is allocated while time runs.
  virtual void begin(std::size_t buckets) = 0;
  /// Posts one bucket, to be reduced when `ready` has completed. Returns at once. Each rank starts the same
  /// buckets in the same order.
  virtual void start(Slice slice, Completion ready) = 0;
  /// The compute side offers a moment between two operations.
  virtual void progress() {}
  /// Waits until every bucket that was started is reduced. Throws what went wrong: std::runtime_error naming
  /// rank, bucket (from 0) and elements.
  virtual void wait_all() = 0;
  /// Waits until bucket `bucket` (from 0) is reduced and returns its completion time. On a device's stream,
  /// returns at once with the event that will record it. Errors as wait_all().
  virtual Completion wait_for(std::size_t bucket) = 0;
  /// The buckets reduced since begin(); valid after wait_all() until the next begin().
  virtual std::vector<ReducedBucket> const& reduced() const = 0;
  /// Elements that were handed to the library that reduces, since construction, each as often as it was: an
  /// average that is averaged again is the same average, so only counting tells. Between wait_all() and
  /// start().
  virtual std::int64_t elements_reduced() const = 0;
  /// For people and results, for instance "mpi, host buffers, thread".
  virtual std::string description() const = 0;
};

}  // namespace ddproxy
