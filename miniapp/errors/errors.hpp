// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <source_location>
#include <stdexcept>

namespace ddproxy {

/// Exit codes of the program. The README describes all of them. Code 5 (undecided) is in
/// results/compare/outcome.hpp.
enum ExitCode {
  exit_fine = 0,
  exit_regression = 1,
  exit_usage = 2,
  exit_wrong_numbers = 3,
  exit_run_time = 4,
  exit_interrupted = 75,
  exit_skipped = 77
};

/// A computed or reduced number is wrong. For instance, a gradient is not the average of the ranks'
/// gradients, or the loss is not finite. The program exits with code 3.
struct WrongNumbers : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A call of a library did not return within its time limit. The thread that made the call cannot be joined,
/// and no other thread may call MPI. The process can therefore end only by _Exit().
struct StuckCall : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A signal asked the run to stop. The results measured so far are saved.
struct Interrupted : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws std::runtime_error with MPI's error message if `status` is an error. `where` is the place in the
/// source that the message names.
void check_mpi(int status, std::source_location where = std::source_location::current());

}  // namespace ddproxy
