// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "miniapp/cores/thread_choice.hpp"
#include "miniapp/options/options.hpp"

namespace ddproxy {

/// Prepares this process before MPI and OpenMP start their threads: pins it where the command line says so
/// (miniapp/cores/pinning.hpp), and starts the program again where OpenMP or OpenBLAS need other environment
/// variables than they found. Returns the number of threads that the user asked for. Errors as of pin_rank().
ThreadWish prepare_rank(Options const& options, char** argv);

}  // namespace ddproxy
