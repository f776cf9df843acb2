// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>

#include "miniapp/input/config.hpp"
#include "miniapp/machine/runtime.hpp"

// How every command that measures begins and ends. `close` closes the unfinished results file of this rank,
// if it has one, without MPI.
namespace ddproxy {

/// Throws CollectiveError (exit code 2) if the ranks read different input files. Collective.
void agree_on_input(Runtime const& runtime, Config const& config);

/// Ends the process after a call of MPI did not return. Each rank that is in such a call prints its own line.
/// Rank 0 closes its file first. It then waits until the watches of the other ranks have looked at their
/// calls. The other ranks wait longer than rank 0, because a launcher ends all ranks as soon as one has
/// ended.
[[noreturn]] void leave_stuck_call(Runtime const& runtime, std::function<void()> const& close,
                                   std::string const& error);

/// Ends the process after the device was lost. Call it while the exception is handled and the arrays still
/// exist. Kokkos aborts when it cannot free them, and the reason would never be printed.
[[noreturn]] void leave_lost_device(Runtime const& runtime, std::function<void()> const& close);

/// Applies the time limit of the run to MPI calls, for as long as the object lives. A rank that is stuck in a
/// call of MPI does not write its file, so it is safe that another thread closes the file. `close` outlives
/// the object.
class CallLimit {
 public:
  CallLimit(Runtime const& runtime, double timeout_s, std::function<void()> const& close);
  ~CallLimit();
  CallLimit(CallLimit const&) = delete;
  CallLimit& operator=(CallLimit const&) = delete;

 private:
  Runtime const& runtime_;
};

}  // namespace ddproxy
