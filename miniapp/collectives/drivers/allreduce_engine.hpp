// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "miniapp/collectives/drivers/allreduce.hpp"

namespace ddproxy {

/// Reduces one bucket at a time; its owner drives it, from a thread or from the compute side.
class AllreduceEngine {
 public:
  virtual ~AllreduceEngine() = default;
  /// Begins a bucket. The one before is reduced, and `ready` has completed, at the time it records.
  virtual void begin(Slice slice, Completion ready) = 0;
  /// Makes progress; true when the bucket is reduced. Waits only where the library's call blocks.
  virtual bool test() = 0;
  /// Waits until the bucket is reduced. An error names it as number `bucket` of the pass.
  virtual void wait(std::size_t bucket) = 0;
  /// The bucket that was reduced last.
  virtual ReducedBucket last() const = 0;
  /// As Allreduce::elements_reduced(): counted where the library is called.
  virtual std::int64_t elements_reduced() const = 0;
  virtual std::string description() const = 0;
  /// The time limit of a bucket, in seconds, where wait() may stay in a library's call that knows no
  /// limit, so that another thread has to watch the time; 0 where the engine watches it itself.
  virtual double unwatched_limit_s() const { return 0; }
};

}  // namespace ddproxy
