// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "miniapp/compute/backward.hpp"

namespace ddproxy {

/// One all-reduce as it happened on this rank.
struct Reduction {
  Slice slice;
  Clock::time_point start;
  Clock::time_point end;    ///< scaled by 1/n
  Clock::time_point ready;  ///< as the pipeline declared it, whenever the reduction came to start
};

/// Averages slices of the arena over all ranks, in place, one after another in the order of start().
class Allreduce {
 public:
  virtual ~Allreduce() = default;
  /// Forgets earlier reductions and makes room for `calls`, so that nothing is allocated while time runs.
  virtual void begin(std::size_t calls) = 0;
  /// Asks for one reduction, to begin when `ready` is over. Returns at once. Each rank starts the same slices
  /// in the same order.
  virtual void start(Slice slice, Completion ready) = 0;
  /// The compute side offers a moment between two operations.
  virtual void progress() {}
  /// Returns when all that was started is reduced. Throws what went wrong: std::runtime_error naming rank,
  /// bucket (its call, from 0) and elements.
  virtual void wait_all() = 0;
  /// When the reduction of that number (from 0) is complete: returns when it is, with the moment when it was;
  /// on a device's stream at once, with the event that will tell. Errors as wait_all().
  virtual Completion wait_for(std::size_t call) = 0;
  /// Since begin(); valid after wait_all().
  virtual std::vector<Reduction> const& reductions() const = 0;
  /// Elements that were handed to the library that reduces, since construction, each as often as it was: an
  /// average that is averaged again is the same average, so only counting tells. Between wait_all() and
  /// start().
  virtual std::int64_t elements_reduced() const = 0;
  /// For people and results, for instance "mpi, host buffers, thread".
  virtual std::string description() const = 0;
};

}  // namespace ddproxy
