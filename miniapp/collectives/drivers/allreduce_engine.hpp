// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "miniapp/collectives/drivers/allreduce.hpp"

namespace ddproxy {

/// Carries out one all-reduce at a time; who drives it (a thread, or the compute side) is the affair of its
/// owner.
class AllreduceEngine {
 public:
  virtual ~AllreduceEngine() = default;
  /// Begins a reduction; the one before is complete, and `ready` is over, at the moment that it holds.
  virtual void begin(Slice slice, Completion ready) = 0;
  /// Moves it on; true when it is complete. Waits only where the reduction goes by a call that blocks.
  virtual bool test() = 0;
  /// Returns when it is complete. An error names it as that bucket of the pass.
  virtual void wait(std::size_t bucket) = 0;
  /// The reduction that completed last.
  virtual Reduction last() const = 0;
  /// As Allreduce::elements_reduced(): counted where the library is called.
  virtual std::int64_t elements_reduced() const = 0;
  virtual std::string description() const = 0;
  /// The time limit of a reduction, in seconds, where wait() may stay in a library's call that knows no
  /// limit, so that another thread has to watch the time; 0 where the engine watches it itself.
  virtual double unwatched_limit_s() const { return 0; }
};

}  // namespace ddproxy
