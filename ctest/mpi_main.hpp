// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "miniapp/machine/runtime.hpp"

namespace ddproxy {

/// MPI and Kokkos of the test program.
extern Runtime const* test_runtime;

/// What MPI is asked for: MPI_THREAD_SERIALIZED, where a test program does not define it otherwise.
int mpi_threads_of_test();

}  // namespace ddproxy
