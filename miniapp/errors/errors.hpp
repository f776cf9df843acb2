// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <source_location>
#include <stdexcept>

namespace ddproxy {

/// The exit codes of the program.
enum ExitCode {
  exit_fine = 0,
  exit_regression = 1,
  exit_usage = 2,
  exit_wrong_numbers = 3,
  exit_run_time = 4,
  exit_interrupted = 75,
  exit_skipped = 77
};

/// Verification failed.
struct WrongNumbers : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A call of a library did not come back within its time limit. The thread that made it cannot be joined, and
/// no other thread may call MPI, so the process can only end by _Exit().
struct StuckCall : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A signal asked the run to stop; what was measured is saved.
struct Interrupted : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws std::runtime_error with MPI's own text where `status` is an error.
void check_mpi(int status, std::source_location where = std::source_location::current());

}  // namespace ddproxy
