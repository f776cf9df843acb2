// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <stdexcept>
#include <string>

#include "miniapp/collectives/drivers/communication_lane.hpp"

namespace ddproxy {

/// Carries out one collective at a time; its owner drives it, from a thread or from the compute side.
class CollectiveEngine {
 public:
  virtual ~CollectiveEngine() = default;
  /// Begins a collective. The one before is done, and `ready` has completed, at the time it records. Throws
  /// std::invalid_argument as check_call().
  virtual void begin(CollectiveCall const& call, Completion ready) = 0;
  /// Begins sends and receives as one group: each makes progress beside the others, and test(), wait() and
  /// last() are for all of them; `call` of last() is the first. Throws as check_grouped(), and
  /// std::invalid_argument where the engine carries out no groups.
  virtual void begin_group(std::span<const PostedCall>, Completion) {
    throw std::invalid_argument(description() + " carries out no groups of sends and receives");
  }
  /// Makes room for groups of so many calls, so that nothing is allocated when one begins.
  virtual void make_room(std::size_t /*largest_group*/) {}
  /// Makes progress; true when the collective is done. Waits only where the library's call blocks.
  virtual bool test() = 0;
  /// Waits until the collective is done. An error names it as number `call` of the pass.
  virtual void wait(std::size_t call) = 0;
  /// Throws std::runtime_error as wait() does where the collective under way has taken too long.
  virtual void check_time(std::size_t /*call*/) const {}
  /// The collective that was done last.
  virtual FinishedCall last() const = 0;
  /// As CommunicationLane::elements_handed_over(): counted where the library is called.
  virtual ElementsByVerb elements_handed_over() const = 0;
  virtual std::string description() const = 0;
  /// The time limit of a collective, in seconds, where wait() may stay in a library's call that knows no
  /// limit, so that another thread has to watch the time; 0 where the engine watches it itself.
  virtual double unwatched_limit_s() const { return 0; }
};

}  // namespace ddproxy
