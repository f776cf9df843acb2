// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "miniapp/input/config.hpp"
#include "miniapp/machine/runtime.hpp"

// The beginning and the end of every command that measures. `close` is a function of the caller. It closes
// the unfinished results file of this rank, if the rank has one, and calls no MPI function.
namespace ddproxy {

/// Checks that all ranks have read the same input and the same tables. Throws CollectiveError (exit code 2)
/// if they have not. Collective.
void agree_on_input(Runtime const& runtime, Config const& config);

/// Makes signals end the run after the present measurement (catch_signals() in miniapp/errors/signals.hpp).
/// When rank 0 gets the first signal, it prints a line. The line says that the run will stop, and names the
/// unfinished file of `output`.
void stop_on_signals(Runtime const& runtime, std::filesystem::path const& output);

/// What the results file of an interrupted run has.
struct Saved {
  int rounds = 0;  ///< complete rounds of the sweep, including those of the runs that this run continues
  /// True if the sweep has no samples and the tables are not complete: the operators or a message size have
  /// no samples yet.
  bool is_nothing = true;
};

/// Returns the message of a `run` or `sweep` that a signal ended. It says what the unfinished file FILE.part
/// of the results file `output` contains, and how to go on.
std::string interruption_text(std::filesystem::path const& output, Saved const& saved);

/// Ends this process with exit code 4 after an MPI call did not return within the time limit. Prints `error`,
/// calls `close`, and then sleeps for 1.5 s on rank 0 and for 5 s on other ranks. In this time the watchdogs
/// of other ranks (CallWatch) find and print their own stuck calls. A launcher ends all ranks as soon as one
/// of them has ended. So the other ranks sleep longer, which gives rank 0 the time to close its file.
[[noreturn]] void leave_stuck_call(Runtime const& runtime, std::function<void()> const& close,
                                   std::string const& error);

/// Ends this process with exit code 4 after the device was lost. Calls `close` and prints the exception that
/// is being handled. If there are several ranks, calls MPI_Abort. Call this function in the catch block,
/// while the arrays on the device still exist. When they are destroyed, Kokkos cannot free them and aborts,
/// so the exception would never be printed.
[[noreturn]] void leave_lost_device(Runtime const& runtime, std::function<void()> const& close);

/// Sets the time limit of MPI calls to `timeout_s` seconds. If a call takes longer while the object lives,
/// another thread calls leave_stuck_call(). That thread may close the results file, because the thread that
/// is stuck in the MPI call does not write. After the object's end the time limit stays, but `close` is no
/// longer called (Runtime::limit_calls()). `runtime` and `close` must outlive the object.
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
