// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "miniapp/cores/thread_choice.hpp"
#include "miniapp/input/options/options.hpp"

namespace ddproxy {

/// Prepares this process. Call this function before MPI and OpenMP start their threads. It pins the process
/// if the command line names cores (miniapp/cores/pinning.hpp). It starts the program again with the
/// arguments `argv` if OpenMP, OpenBLAS or Open MPI need other environment variables than those that are set
/// (miniapp/cores/restart.hpp). Returns the number of threads that the user asked for.
/// ThreadWish::launcher_cores is 0 in three cases: no launcher started the process; the command does not
/// compute with kernels; the user or SLURM's --cpus-per-task has chosen the threads or the cores. In a build
/// for a device this function only pins the process, and returns no wish. Throws what pin_rank() throws.
ThreadWish prepare_rank(Options const& options, char** argv);

/// Returns the thread level that MPI is asked for: MPI_THREAD_MULTIPLE if the command is `step` and
/// needs_threads() (miniapp/input/config.hpp) is true, that is, if the step has several communication lanes
/// with blocking MPI calls. Otherwise returns MPI_THREAD_SERIALIZED. Reads the input file. If the file is
/// wrong, returns MPI_THREAD_SERIALIZED; the error is reported later.
int mpi_threads_for(Options const& options);

}  // namespace ddproxy
